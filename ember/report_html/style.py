"""The page's style sheet, for light and dark, as the reader's system prefers."""

CSS = """
:root {
  color-scheme: light dark;
  --paper: #ffffff; --card: #f7f8fa; --ink: #1b1f24; --soft: #5b6572; --rule: #dfe3e8;
  --busy: #2f6fde; --blocked: #e0732b; --memory: #b23a6b; --ring: #d9a514; --starved: #c6ccd4;
  --p0: #2f6fde; --p1: #0d8f6f; --p2: #a846c8; --p3: #e0732b; --limit: #c0392b;
  --on-busy: #ffffff; --on-blocked: #1b1f24; --on-memory: #ffffff; --on-ring: #1b1f24;
  --on-starved: #1b1f24;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --card: #1c2026; --ink: #e8ebef; --soft: #9aa5b1; --rule: #323942;
    --busy: #5b94f5; --blocked: #f08a45; --memory: #de6a98; --ring: #e8bf4a; --starved: #464e59;
    --p0: #6ca0f8; --p1: #3cc29d; --p2: #c98be0; --p3: #f08a45; --limit: #f07a6b;
    --on-busy: #10141a; --on-blocked: #10141a; --on-memory: #10141a; --on-ring: #10141a;
    --on-starved: #e8ebef;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", sans-serif; }
main { max-width: 1000px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 26px; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 20px; margin: 40px 0 10px; padding-top: 22px; border-top: 1px solid var(--rule);
  overflow-wrap: anywhere; }
h3 { font-size: 16px; margin: 26px 0 4px; }
p { margin: 4px 0 10px; max-width: 76ch; }
.lead, .note-line { color: var(--soft); }
code { font: 13px/1.5 ui-monospace, "SF Mono", "Liberation Mono", monospace; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 8px;
  padding: 12px 16px; margin: 12px 0; }
dl.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr));
  gap: 10px 18px; margin: 0; }
dl.facts dt { color: var(--soft); font-size: 13px; }
dl.facts dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums;
  overflow-wrap: anywhere; }
.settings { color: var(--soft); margin: 10px 0 0; max-width: none; overflow-wrap: anywhere; }
.missing { border-left: 3px solid var(--ring); padding: 2px 12px; color: var(--soft); }
.chart { overflow-x: auto; margin: 2px 0 6px; }
.chart svg { width: 100%; min-width: 640px; height: auto; display: block; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 13px; color: var(--soft);
  margin: 4px 0 2px; max-width: none; }
.key { display: inline-flex; align-items: center; gap: 6px; }
svg text { fill: var(--ink); font-size: 13px; font-variant-numeric: tabular-nums; }
svg .tick, svg .axis, svg .note { fill: var(--soft); }
svg .tick, svg .note { font-size: 12px; }
svg .label { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
.grid { stroke: var(--rule); stroke-width: 1; }
.border { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 3; }
.limit { stroke: var(--limit); stroke-width: 1.6; stroke-dasharray: 6 4; }
path { fill: none; }
.roof { stroke: var(--ink); stroke-width: 2; }
.little { stroke: var(--limit); stroke-dasharray: 6 4; }
.point { stroke: var(--paper); stroke-width: 1.5; }
.p0 { fill: var(--p0); } .p1 { fill: var(--p1); } .p2 { fill: var(--p2); } .p3 { fill: var(--p3); }
.point.wrong { fill: var(--limit); }
.busy { fill: var(--busy); } .blocked { fill: var(--blocked); } .starved { fill: var(--starved); }
.memory { fill: var(--memory); } .ring { fill: var(--ring); } .bar { fill: var(--busy); }
svg text.on { font-size: 12px; }
svg text.on.busy { fill: var(--on-busy); } svg text.on.blocked { fill: var(--on-blocked); }
svg text.on.memory { fill: var(--on-memory); } svg text.on.ring { fill: var(--on-ring); }
svg text.on.starved { fill: var(--on-starved); }
.area { fill: var(--busy); opacity: 0.22; }
.mean { stroke: var(--busy); stroke-width: 1.8; } .mean-key { fill: var(--busy); }
.peak { stroke: var(--blocked); stroke-width: 1; opacity: 0.8; } .peak-key { fill: var(--blocked); }
.line.read { stroke: var(--busy); stroke-width: 1.6; } .read-key { fill: var(--busy); }
.line.write { stroke: var(--blocked); stroke-width: 1.6; } .write-key { fill: var(--blocked); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 14px; }
th, td { text-align: left; padding: 3px 18px 3px 0; border-bottom: 1px solid var(--rule); }
th { color: var(--soft); font-weight: 600; }
td.figure, th.figure { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
details > summary { cursor: pointer; color: var(--soft); margin-top: 14px; }
footer { color: var(--soft); font-size: 13px; margin-top: 48px; }
@media print { .chart svg { min-width: 0; } h2 { break-before: page; } }
"""
