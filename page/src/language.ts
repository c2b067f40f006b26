// SPDX-License-Identifier: Apache-2.0
import type { Extension } from "@codemirror/state";
export function pfaffLanguage(): Extension { return []; }
