export const STYLE = `
:root { --paper: #fff; --ink: #1c1e21; --soft: #5f6670; --line: #dfe2e6; --user: #eef4ff; --tool: #f6f7f8; --bad: #b3261e; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181b; --ink: #e4e6e9; --soft: #9aa2ad; --line: #32363c; --user: #1d2735; --tool: #1f2226; --bad: #f28b82; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 56rem; padding: 2rem 1.25rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif; }
h1 { font-size: 1.4rem; line-height: 1.3; overflow-wrap: anywhere; }
h2 { display: flex; gap: .75rem; align-items: baseline; margin: 0 0 .4rem; font-size: .9rem; }
h3 { margin: .6rem 0 .2rem; font-size: .8rem; color: var(--soft); }
small { font-weight: normal; color: var(--soft); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; font-size: .9rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
article { margin: 1.25rem 0; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: .6rem; }
article.user { background: var(--user); }
article.system { border-style: dashed; color: var(--soft); }
pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }
details { margin-top: .6rem; }
summary { cursor: pointer; color: var(--soft); font-size: .9rem; }
code, .tool pre, .thinking pre { font-family: ui-monospace, monospace; font-size: .85rem; }
.tool { padding: .5rem .75rem; border-radius: .4rem; background: var(--tool); }
.tool pre, .thinking pre { margin-top: .4rem; }
.bad > summary { color: var(--bad); }
`;
