# SPDX-License-Identifier: Apache-2.0
"""Tokens by a TextMate grammar: as much of it as ours uses (match, begin and end, captures, include)."""
import re


class Grammar:
    def __init__(self, grammar):
        self.grammar = grammar
        self.compiled = {}

    def pattern(self, text):
        if text not in self.compiled:
            self.compiled[text] = re.compile(text)
        return self.compiled[text]

    def rules(self, patterns):
        """The rules of a list, with what it includes."""
        for item in patterns:
            if "include" not in item:
                yield item
                continue
            found = self.grammar["repository"][item["include"][1:]]
            if "match" in found or "begin" in found:
                yield found
            else:
                yield from self.rules(found["patterns"])

    def first(self, patterns, line, at):
        """The rule that matches first, and its match; the earlier one of two at the same place."""
        best = None
        for rule in self.rules(patterns):
            match = self.pattern(rule.get("match", rule.get("begin"))).search(line, at)
            if match and (best is None or match.start() < best[1].start()):
                best = rule, match
        return best

    def capture(self, match, captures, names):
        for group, what in captures.items():
            start, end = match.span(int(group))
            for i in range(start, max(start, end)):
                names[i] = what.get("name", names[i])
            if start < end and "patterns" in what:
                self.line(match.string[:end], start, [{"patterns": what["patterns"]}], names)

    def line(self, line, at, stack, names):
        """Names the characters of a line from `at`; the stack of open brackets goes on to the next."""
        while at <= len(line):
            top = stack[-1]
            end = self.pattern(top["end"]).search(line, at) if "end" in top else None
            found = self.first(top["patterns"], line, at)
            if end and (not found or end.start() <= found[1].start()):
                self.fill(names, at, end.end(), top.get("name"))
                self.capture(end, top.get("endCaptures", {}), names)
                stack.pop()
                at = end.end()
                if not end.group() and at >= len(line):
                    return
                continue
            if not found:
                self.fill(names, at, len(line), top.get("name"))
                return
            rule, match = found
            self.fill(names, at, match.start(), top.get("name"))
            self.fill(names, match.start(), match.end(), rule.get("name", top.get("name")))
            self.capture(match, rule.get("captures", rule.get("beginCaptures", {})), names)
            if "begin" in rule:
                stack.append(rule)
            at = match.end() if match.end() > match.start() or "begin" in rule else match.end() + 1

    @staticmethod
    def fill(names, start, end, name):
        for i in range(start, end):
            names[i] = name or ""

    def scopes(self, text):
        """For every line the scope of each character."""
        stack = [{"patterns": self.grammar["patterns"]}]
        for line in text.splitlines():
            names = [""]*len(line)
            self.line(line, 0, stack, names)
            yield line, names
