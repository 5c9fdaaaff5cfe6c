import { DOCS_SCRIPT } from './docs-script.ts';
import { STYLE } from './style.ts';

/** Pages for people, without external resources or inline scripts. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface Page {
  mimeType: string;
  text: string;
}

const HEAD = `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="/docs/style.css">`;

const HOME = `<!doctype html>
<html lang="en">
<head>
${HEAD}
<title>agent-mux</title>
</head>
<body>
<main class="home">
<h1>agent-mux</h1>
<p>This is the agent-mux daemon. It runs the coding-agent sessions of this machine and serves them over HTTP.</p>
<p>The dashboard is not built. Run <code>npm run build</code> in the repository and restart the daemon to see it here.</p>
<p><a href="/docs">API documentation</a></p>
<p><a href="/api/v1/openapi.json">OpenAPI document</a></p>
</main>
</body>
</html>
`;

const DOCS = `<!doctype html>
<html lang="en">
<head>
${HEAD}
<title>agent-mux API</title>
<script type="module" src="/docs/script.js"></script>
</head>
<body>
<a class="skip" href="#routes">Skip to the routes</a>
<header>
<h1>agent-mux API</h1>
<label class="field">Find a route <input id="find" type="search" autocomplete="off" spellcheck="false"><kbd>/</kbd></label>
<label class="field">Token <input id="token" type="password" autocomplete="off" placeholder="not needed in a signed-in browser"></label>
<p id="access" role="status"></p>
</header>
<div class="columns">
<nav id="contents" aria-label="Routes"></nav>
<main id="routes" tabindex="-1"><p>Loading the API document…</p></main>
</div>
<noscript><p>This page needs JavaScript. See also <a href="/api/v1/openapi.json">openapi.json</a>.</p></noscript>
</body>
</html>
`;

export const PAGES: ReadonlyMap<string, Page> = new Map([
  ['/', { mimeType: 'text/html', text: HOME }],
  ['/docs', { mimeType: 'text/html', text: DOCS }],
  ['/docs/style.css', { mimeType: 'text/css', text: STYLE }],
  ['/docs/script.js', { mimeType: 'text/javascript', text: DOCS_SCRIPT }],
]);

export function pageResponse({ mimeType, text }: Page): Response {
  return new Response(text, {
    headers: { 'content-type': `${mimeType}; charset=utf-8`, 'content-security-policy': POLICY },
  });
}
