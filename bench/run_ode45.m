% 60 s of two robots by Octave's ode45, on the same closed forms as run_peers.c; prints one JSON object.
%   octave-cli --quiet --no-init-file bench/run_ode45.m
1;

function d = free_floating(t, y)
  m2 = 5; I = 260.42; r = 4; L = 8; k = m2*r*L; J = m2*L*L;
  w = y(4); p1 = y(5); p2 = y(6); ww = w*w;
  c1 = k*cos(y(2)); s1 = k*sin(y(2)); c2 = k*cos(y(3)); s2 = k*sin(y(3));
  inertia = I + 2*m2*r*r - (c1*c1 + c2*c2)/J;
  turn = (s1*(p1*(2*w - p1) - ww - c1*ww/J) + s2*(p2*(2*w - p2) - ww - c2*ww/J))/inertia;
  d = [w; p1; p2; turn; turn - (s1*ww - c1*turn)/J; turn - (s2*ww - c2*turn)/J];
end

function d = omni_robot(t, y)
  m1 = 0.2; m2 = 2; I1 = 80e-6; I2 = 2080e-6; r = 0.02; L = 0.04; Q = 0.25e-6; h = sqrt(3)/2;
  g = 1.5*I1/(r*r); m = 3*m1 + m2 + g; J = 3*m1*L*L + I2 + 3*I1*L*L/(r*r);
  S = sin(y(6)); C = cos(y(6)); vx = y(7); vy = y(8); w = y(9);
  s1 = 0.5*S + h*C; c1 = 0.5*C - h*S; s3 = 0.5*S - h*C; c3 = 0.5*C + h*S;
  d = [(s1*vx - c1*vy - L*w)/r; (-S*vx + C*vy - L*w)/r; (s3*vx - c3*vy - L*w)/r; vx; vy; w;
       (Q*s1/r - g*w*vy)/m; (-Q*c1/r + g*w*vx)/m; -Q*L/r/J];
end

function [seconds, steps, theta] = measure(flow, start, where)
  options = odeset('RelTol', 1e-6, 'AbsTol', 1e-8, 'Refine', 1);
  seconds = Inf;
  for i = 1:4 % the first one also loads the solver
    begin = cputime();
    [t, y] = ode45(flow, [0 60], start, options);
    seconds = min(seconds, cputime() - begin);
  end
  steps = numel(t) - 1;
  theta = y(end, where);
end

[a, n, q] = measure(@free_floating, [pi/36; -pi/6; -pi/6; 0.1; -0.1; -0.1], 1);
[b, k, p] = measure(@omni_robot, [1; 1; 1; 1e-3; 1e-3; pi/6; -0.02/3; -0.02/sqrt(3); -2/3], 6);
printf('{"octave": "%s", "free_floating": {"seconds": %.6g, "steps": %d, "theta": %.15g}, ', version(), a, n, q);
printf('"omni_robot": {"seconds": %.6g, "steps": %d, "theta": %.15g}}\n', b, k, p);
