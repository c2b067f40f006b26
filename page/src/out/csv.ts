// SPDX-License-Identifier: Apache-2.0
import type { Table } from "../engine/client";

const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Names with their units, then numbers that read back exactly. */
export function csv({ columns, units, rows, data }: Table): string {
  const lines = [columns.map((name, j) => quoted(units[j] ? `${name} [${units[j]}]` : name)).join(",")], width = columns.length;
  for (let i = 0; i < rows; i++) lines.push(Array.from(data.subarray(i*width, (i + 1)*width)).join(","));
  return lines.join("\n") + "\n";
}
