# Pfaff on Debian 12, with 'pfaff page' where 'make page' was called before: docker build -t pfaff . && docker run --rm -v "$PWD:/models" pfaff run /models/robot.pf
FROM debian:12 AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev cmake ninja-build pkgconf \
    libexpat1-dev libflint-dev libhdf5-dev libopenblas-dev librsvg2-dev libsundials-dev libzstd-dev
COPY . /source
RUN cmake -S /source -B /build -G Ninja -DPFAFF_TESTS=OFF -DCMAKE_INSTALL_PREFIX=/usr && cmake --build /build && \
    DESTDIR=/out cmake --install /build

FROM debian:12
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev libexpat1 libflint17 libhdf5-103-1 libopenblas0 \
    librsvg2-2 libsundials-cvode6 libsundials-ida6 libzstd1 fonts-dejavu-core && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/usr /usr
WORKDIR /models
ENTRYPOINT ["pfaff"]
