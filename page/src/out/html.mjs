// SPDX-License-Identifier: Apache-2.0
// For the build (Node) and the page itself.

/** JSON in which nothing can end the element that holds it; as src/out/page.c writes it. */
export const jsonInHtml = (value) => JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
