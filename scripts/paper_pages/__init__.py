# SPDX-License-Identifier: Apache-2.0
"""The pages docs/papers/*.md: one module per paper, each with a function write(page)."""
