// SPDX-License-Identifier: Apache-2.0
(async () => {
  // The page as it was sent, for those who save it with changes.
  const source = "<!doctype html>\n" + document.documentElement.outerHTML;
  const unpack = async (id) => {
    const text = document.getElementById(id).textContent, bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  };
  try {
    const script = document.createElement("script");
    script.src = URL.createObjectURL(new Blob([await unpack("pfaff-app")], { type: "text/javascript" }));
    globalThis.pfaffPage = { source, engine: unpack("pfaff-engine") };
    document.body.append(script);
  } catch (error) {
    document.body.append("This browser is too old for the page, or the file is damaged: " + error.message);
  }
})();
