/** Style of the daemon's own pages: system fonts, one accent color, light and dark mode. */
export const STYLE = `:root {
  color-scheme: light dark;
  --ground: light-dark(#ffffff, #15171a);
  --raised: light-dark(#f5f6f7, #1d2024);
  --line: light-dark(#dcdfe3, #33383f);
  --ink: light-dark(#1a1d21, #e6e8eb);
  --quiet: light-dark(#5a626c, #a0a8b2);
  --accent: light-dark(#0b57d0, #8ab4f8);
  --bad: light-dark(#b3261e, #f2b8b5);
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
a { color: var(--accent); }
h1 { font-size: 18px; margin: 0; }
h2 { font-size: 15px; margin: 32px 0 8px; color: var(--quiet); font-weight: 600; }
h2:first-child { margin-top: 0; }
code, pre, textarea, kbd, .path { font: 13px/1.5 ui-monospace, monospace; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.home { max-width: 560px; margin: 15vh auto; padding: 0 24px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; background: var(--ground); padding: 8px; z-index: 2; }
header { display: flex; flex-wrap: wrap; gap: 8px 24px; align-items: center; padding: 12px 24px; border-bottom: 1px solid var(--line); position: sticky; top: 0; background: var(--ground); z-index: 1; }
header p { margin: 0; color: var(--quiet); }
.field { display: inline-flex; gap: 8px; align-items: center; color: var(--quiet); }
.columns { display: grid; grid-template-columns: 260px minmax(0, 1fr); }
nav { padding: 16px 8px 48px 24px; border-right: 1px solid var(--line); position: sticky; top: 56px; height: calc(100vh - 56px); overflow: auto; }
nav h2 { margin: 16px 0 4px; font-size: 13px; }
nav a { display: block; padding: 2px 8px; text-decoration: none; color: var(--ink); border-radius: 4px; overflow-wrap: anywhere; }
nav a:hover { background: var(--raised); }
main { padding: 24px; max-width: 980px; outline: none; }
details.route { border: 1px solid var(--line); border-radius: 6px; margin-bottom: 8px; scroll-margin-top: 72px; }
details.route > summary { display: flex; flex-wrap: wrap; gap: 4px 12px; padding: 8px 12px; cursor: pointer; list-style: none; align-items: baseline; }
details.route > summary::-webkit-details-marker { display: none; }
details.route[open] > summary { border-bottom: 1px solid var(--line); background: var(--raised); border-radius: 6px 6px 0 0; }
.method { font: 600 12px/1.5 ui-monospace, monospace; min-width: 52px; }
.about { color: var(--quiet); flex-basis: 100%; }
.inside { padding: 12px; display: grid; gap: 16px; }
.inside h3 { margin: 0 0 4px; font-size: 13px; color: var(--quiet); font-weight: 600; }
label.row { display: grid; grid-template-columns: 180px minmax(0, 1fr); gap: 4px 12px; align-items: start; margin-bottom: 8px; }
label.row small { grid-column: 2; color: var(--quiet); }
input, textarea, select, button { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 4px; padding: 4px 8px; }
label.row input, textarea { width: 100%; }
textarea { min-height: 120px; resize: vertical; }
button { cursor: pointer; padding: 4px 16px; }
button.main { background: var(--accent); color: var(--ground); border-color: var(--accent); }
.buttons { display: flex; gap: 8px; align-items: center; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 4px; padding: 8px 12px; margin: 0; overflow: auto; max-height: 420px; white-space: pre-wrap; overflow-wrap: anywhere; }
.status { font-variant-numeric: tabular-nums; color: var(--quiet); }
.bad { color: var(--bad); }
@media (max-width: 760px) {
  .columns { grid-template-columns: minmax(0, 1fr); }
  nav { display: none; }
  header { position: static; }
  label.row { grid-template-columns: minmax(0, 1fr); }
  label.row small { grid-column: 1; }
}
`;
