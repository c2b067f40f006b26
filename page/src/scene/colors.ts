// SPDX-License-Identifier: Apache-2.0
// Colours of shapes, as `pfaff draw` paints them (src/scene/colors.c).
import { Color } from "three";
import type { Shape } from "../types";

const BODIES = [0x5b93c9, 0xe0a458, 0x74a57f, 0xc97b84, 0x9385c1, 0x62a8ac, 0xb8a65b];

const ROLES: Record<string, number> = {
  body: 0x5b93c9, link: 0x9aa7b3, joint: 0xd98a3d, base: 0x7c8288, wheel: 0x4d5661, blade: 0x59626c, contact: 0xc0392b, spring: 0x3f8f6b,
  support: 0xd5dde4, trace: 0x4a6f96, force: 0xc8402f,
};

const NAMES: Record<string, number> = {
  black: 0x363c42, blue: 0x3b6fc4, brown: 0x8b5a2b, cyan: 0x3fb6c6, gold: 0xe3b505, gray: 0x8a8f94, green: 0x3f9b4f, grey: 0x8a8f94, navy: 0x23395b,
  orange: 0xe58a2e, pink: 0xe7a1b0, purple: 0x8057a6, red: 0xc8402f, silver: 0xc0c4c8, steelblue: 0x4682b4, teal: 0x2a8c82, tomato: 0xe9573f,
  white: 0xf4f4f4, yellow: 0xe9d24a,
};

/** What the model says, when it is a colour that is known; otherwise by the role, bodies told apart. */
export function shapeColor({ color, role, body = -1 }: Shape): Color {
  if (color && /^#[0-9a-f]{6}$/i.test(color)) return new Color(color.toLowerCase());
  if (color && Object.hasOwn(NAMES, color)) return new Color(NAMES[color]);
  const own = role === "body" || role === "link" || role === "trace";
  if (!own || body < 0) return new Color(ROLES[role] ?? 0x888888);
  const mine = new Color(BODIES[body%BODIES.length]);
  return role === "link" ? mine.lerp(new Color(0xb4bcc4), 0.35) : mine;
}
