import { createHash } from 'node:crypto';
import type { Session, SessionMessage, SessionToolCall } from '../../contract/sessions.ts';
import { orderedParts } from '../../session-stores/message-parts.ts';
import { factsOf, inputOf, SPEAKERS, tailsOf, timeOf, titleOf, withoutControls } from './parts.ts';
import { STYLE } from './style.ts';

/** The page can only be displayed: no script, no image, no request, no form. */
const POLICY = [
  `default-src 'none'`,
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  `base-uri 'none'`,
  `form-action 'none'`,
].join('; ');

/** A self-contained file. All text of the session is text of the page, never markup. */
export function writeHtml(session: Session): string {
  const title = escapeHtml(titleOf(session));
  const facts = factsOf(session).map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`);
  const tails = tailsOf(session).map(
    ({ id, messages }) =>
      `<details class="branch"><summary>Another branch: ${escapeHtml(id)}</summary>\n${messages.map(writeMessage).join('\n')}\n</details>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1 dir="auto">${title}</h1>
<dl>${facts.join('')}</dl>
</header>
<main>
${[...session.messages.map(writeMessage), ...tails].join('\n')}
</main>
</body>
</html>
`;
}

function writeMessage(message: SessionMessage): string {
  const { role, model } = message;
  const speaker = Object.hasOwn(SPEAKERS, role) ? role : 'system';
  const aside = [timeOf(message.timestamp), model].filter((part) => part !== undefined).map(escapeHtml);
  const parts = orderedParts(message).map((part) => {
    if (part.type === 'tool') return writeTool(part.call);
    if (part.text.trim() === '') return '';
    return part.type === 'text'
      ? writeBlock(part.text)
      : `<details class="thinking"><summary>Thinking</summary>${writeBlock(part.text)}</details>`;
  });
  return `<article class="${speaker}">
<h2>${SPEAKERS[speaker]}<small>${aside.join(' · ')}</small></h2>
${parts.filter((part) => part !== '').join('\n')}
</article>`;
}

function writeTool(call: SessionToolCall): string {
  const state = call.output === undefined ? 'never ended' : call.isError ? 'failed' : '';
  const input = inputOf(call);
  return `<details class="tool${state ? ' bad' : ''}"><summary><code>${escapeHtml(call.toolName)}</code> ${state}</summary>
${input === '' ? '' : writeBlock(input)}${call.output ? `<h3>Result</h3>${writeBlock(call.output)}` : ''}
</details>`;
}

function writeBlock(text: string): string {
  return `<pre dir="auto">${escapeHtml(text.replace(/^\n+/, '').trimEnd())}</pre>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return withoutControls(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
