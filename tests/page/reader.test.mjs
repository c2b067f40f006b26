// SPDX-License-Identifier: Apache-2.0
// What a reader does with a page besides looking: compares, sends, saves, stops; on a phone, in the dark, by keys.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Reader, assertSame, difference, examplePage, launch, makePage, model } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

/** A test with a page of its own, in which nothing may go wrong. */
function withPage(what, options, test) {
  it(what, async () => {
    const reader = await Reader.open(browser, examplePage(options.example ?? "chaplygin_sleigh"), options);
    await test(reader);
    await reader.close();
  });
}

const curves = (reader) => reader.page.$$eval(".u-wrap canvas", (list) => list.map((canvas) => canvas.toDataURL()).join());
const button = (reader, text) => reader.page.locator(`button:has-text("${text}")`);
const playing = async (reader) => await reader.page.getAttribute(".player .round", "aria-label") === "pause";
const selectedTab = (reader) => reader.page.$$eval("[role=tab]", (tabs) => tabs.findIndex((tab) => tab.getAttribute("aria-selected") === "true"));

describe("changed numbers", () => {
  withPage("leave the old motion as a ghost, which can be forgotten", {}, async (reader) => {
    assert.equal(await button(reader, "forget the old motion").isVisible(), false);
    await reader.slide("theta'", 1);
    await reader.scrub(0.05);
    const both = [await curves(reader), await reader.picture()];
    await button(reader, "forget the old motion").click();
    assert.equal(await button(reader, "forget the old motion").isVisible(), false);
    await reader.scrub(0.05);
    assert.notEqual(await curves(reader), both[0], "the dashed curves are gone");
    assert.notEqual(await reader.picture(), both[1], "the pale machine is gone");
  });

  withPage("go back one by one", {}, async (reader) => {
    const first = await reader.csv();
    await reader.slide("a", 0.2);
    await reader.type("m", 2);
    assert.equal(await reader.page.$$eval(".row.changed", (rows) => rows.length), 2);
    await reader.after(() => reader.page.click("button[aria-label='reset m']"));
    assert.equal(await reader.number("m"), 1);
    assert.ok(difference(await reader.csv(), first) > 1e-3);
    await reader.after(() => reader.page.click("button[aria-label='reset a']"));
    assert.equal(await reader.page.$$eval(".row.changed", (rows) => rows.length), 0);
    assertSame(await reader.csv(), first, "as before", 0);
  });

  withPage("that make no sense leave a word and the last motion", {}, async (reader) => {
    await reader.type("m", -1);
    const said = await reader.problem(), shown = await reader.page.$$eval(".u-wrap", (plots) => plots.length);
    assert.ok(shown > 0);
    await reader.type("m", 1);
    assert.equal(await reader.problem(), null, `after: ${said}`);
  });

  withPage("travel in a link", {}, async (reader) => {
    await reader.slide("a", 0.3);
    await reader.type("theta'", 0.4);
    await reader.scrub(0.25);
    const csv = await reader.csv();
    await button(reader, "link").first().click();
    const hash = new URL(reader.page.url()).hash;
    assert.match(hash, /p\.a=0\.3/);
    const other = await Reader.open(browser, examplePage("chaplygin_sleigh"), { hash });
    assert.equal(await other.number("a"), 0.3);
    assert.equal(await other.number("theta'"), 0.4);
    assert.ok(Math.abs((await other.time()).value - 5) < 1e-3, "the time as well");
    assertSame(await other.csv(), csv, "by the link", 0);
    await other.close();
  });

  withPage("and another text are in the saved page, and again in what that saves", {}, async (reader) => {
    const text = model("chaplygin_sleigh").replace('"Chaplygin sleigh"', '"A heavier sleigh & <more>"').replace("I = 0.2", "I = 0.25");
    await reader.write(text);
    await reader.slide("a", 0.3);
    const csv = await reader.csv(), first = await reader.download(() => button(reader, "save page").click());
    assert.equal(first.name, "chaplygin_sleigh.html");
    const second = await Reader.open(browser, first.path);
    assert.equal(await second.page.title(), "A heavier sleigh & <more>");
    assert.equal(await second.number("a"), 0.3);
    assertSame(await second.csv(), csv, "saved", 0);
    await second.type("m", 3);
    const again = await second.csv(), third = await Reader.open(browser, (await second.download(() => button(second, "save page").click())).path);
    assert.equal(await third.number("m"), 3);
    assertSame(await third.csv(), again, "saved twice", 0);
    await second.close();
    await third.close();
  });
});

describe("files", () => {
  withPage("PNG, GIF and film are what they say", { example: "hand" }, async (reader) => {
    const png = (await reader.download(() => reader.page.click(".toolbar button:has-text('PNG')"))).bytes;
    assert.equal(png.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n");
    assert.ok(png.readUInt32BE(16) > 300 && png.readUInt32BE(20) > 100, "its width and height");
    const gif = (await reader.download(() => reader.page.click(".toolbar button:has-text('GIF')"))).bytes;
    assert.equal(gif.subarray(0, 6).toString("latin1"), "GIF89a");
    assert.equal(gif.at(-1), 0x3b);
    assert.ok(gif.indexOf(Buffer.from("NETSCAPE2.0")) > 0, "it goes round and round");
    const film = (await reader.download(() => reader.page.click(".toolbar button:has-text('film')"))).bytes;
    assert.equal(film.readUInt32BE(0), 0x1a45dfa3);
  });

  withPage("the text as it is now", {}, async (reader) => {
    await reader.tab(3);
    const { name, bytes } = await reader.download(() => button(reader, "save .pf").click());
    assert.equal(name, "chaplygin_sleigh.pf");
    assert.equal(bytes.toString(), model("chaplygin_sleigh"));
  });
});

describe("time", () => {
  withPage("stands still where motion is not wanted", {}, async (reader) => {
    await reader.page.waitForTimeout(300);
    assert.equal(await playing(reader), false);
    assert.equal((await reader.time()).value, 0);
  });

  withPage("goes on by itself elsewhere", { reducedMotion: "no-preference" }, async (reader) => {
    assert.equal(await playing(reader), true);
    const { value } = await reader.time();
    await reader.page.waitForFunction((t) => Number(document.querySelector("input.time").value) !== t, value);
  });

  withPage("obeys the keys", {}, async (reader) => {
    const press = (key) => reader.page.keyboard.press(key), now = async () => (await reader.time()).value;
    await press("ArrowRight");
    const step = await now();
    assert.ok(step > 0 && step < 0.1);
    await press("ArrowRight");
    await press("ArrowLeft");
    assert.ok(Math.abs(await now() - step) < 1e-9);
    await press("End");
    assert.equal(await now(), 20);
    await press("Home");
    assert.equal(await now(), 0);
    await press("Space");
    assert.equal(await playing(reader), true);
    await press("Space");
    assert.equal(await playing(reader), false);
    for (const [key, tab] of [["2", 1], ["3", 2], ["4", 3], ["1", 0]]) {
      await press(key);
      assert.equal(await selectedTab(reader), tab);
    }
  });

  withPage("is picked by a click on a curve", {}, async (reader) => {
    const { x, y, width, height } = await reader.page.locator(".u-over").first().boundingBox();
    await reader.page.mouse.click(x + width/2, y + height/2);
    assert.ok(Math.abs((await reader.time()).value - 10) < 0.5, `at ${(await reader.time()).value}`);
  });
});

describe("wherever it is opened", () => {
  const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

  withPage("it fits a phone", { ...phone, example: "snakeboard" }, async (reader) => {
    for (let tab = 0; tab < 4; tab++) {
      await reader.tab(tab);
      await reader.page.waitForTimeout(100);
      assert.ok(await reader.page.evaluate(() => document.documentElement.scrollWidth) <= 390, `tab ${tab} is not wider than the screen`);
    }
    const box = await reader.page.locator(".stage canvas").boundingBox();
    assert.ok(box.width > 300 && box.height > 200);
    await reader.slide("m", 8);
    await reader.tab(0);
    assert.ok(await reader.page.locator(".u-over").first().isVisible());
  });

  const brightness = (reader, what, property) => reader.page.$eval(what, (element, name) => {
    const [r, g, b] = getComputedStyle(element)[name].match(/[\d.]+/g).map(Number);
    return 0.2126*r + 0.7152*g + 0.0722*b;
  }, property);

  withPage("it is dark in the dark, and can be made light", { colorScheme: "dark" }, async (reader) => {
    assert.ok(await brightness(reader, "body", "backgroundColor") < 60);
    assert.ok(await brightness(reader, "body", "color") > 180);
    const dark = await reader.picture();
    await reader.page.click("button[aria-label='light or dark']");
    assert.ok(await brightness(reader, "body", "backgroundColor") > 200);
    assert.notEqual(await reader.picture(), dark);
  });

  it("it works without WebGL, with a word", async () => {
    const plain = await launch({ webgl: false });
    try {
      const reader = await Reader.open(plain, examplePage("chaplygin_sleigh"));
      assert.match(await reader.page.textContent(".view .word"), /WebGL/);
      const first = await reader.csv();
      await reader.scrub(0.5);
      assert.ok((await reader.cursors())[0] > 50);
      await reader.slide("a", 0.2);
      assert.ok(difference(await reader.csv(), first) > 1e-3);
      await reader.tab(1);
      await reader.page.waitForSelector(".formulas math");
      await reader.close();
    } finally {
      await plain.close();
    }
  });
});

describe("what takes too long", () => {
  const endless = `model endless "Without end"\ncoord x, y\nkinetic 1/2*x'^2 + 1/2*y'^2\npotential 1/2*x^2 + 1/2*y^2 + x^2*y^2\nstart x = 1, y' = 0.1\nrun 1e9 by rk4 { step = 1e-3 }\nplot x\n`;

  it("can be stopped, and the page goes on", async () => {
    const reader = await Reader.open(browser, makePage("endless", { file: "endless.pf", text: endless }), { ready: false });
    await reader.page.waitForSelector(".busy:visible");
    await reader.page.keyboard.press("2"); // it answers while it computes
    assert.equal(await selectedTab(reader), 1);
    await reader.after(() => reader.page.click(".busy"));
    assert.match(await reader.problem(), /stopped/);
    assert.equal(await reader.page.locator(".busy").isVisible(), false);
    await reader.write(endless.replace("1e9", "2"));
    assert.equal(await reader.problem(), null);
    assert.equal((await reader.csv()).rows.at(-1)[0], 2);
    await reader.close();
  });

  it("is given up for what is wanted next", async () => {
    const reader = await Reader.open(browser, makePage("endless2", { file: "endless.pf", text: endless }), { ready: false });
    await reader.page.waitForSelector(".busy:visible");
    const began = Date.now();
    await reader.write(endless.replace("1e9", "2"));
    assert.ok(Date.now() - began < 15_000, "it does not wait for the end");
    assert.equal((await reader.csv()).rows.at(-1)[0], 2);
    await reader.close();
  });
});
