/**
 * The script of /docs: shows every route of the document and sends test requests. It runs in a browser and is served
 * verbatim, hence no backquotes. It sets content as text, never as HTML. The token stays in the page and is not stored.
 */
export const DOCS_SCRIPT = String.raw`
const MAX_SHOWN = 200000;

const find = document.getElementById('find');
const token = document.getElementById('token');
const access = document.getElementById('access');
const contents = document.getElementById('contents');
const routes = document.getElementById('routes');

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (typeof value === 'boolean') element.toggleAttribute(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const asText = (value) => JSON.stringify(value, null, 2);

/* Schemas */

function resolveRef(api, schema) {
  if (!schema || typeof schema.$ref !== 'string') return schema;
  return schema.$ref.split('/').slice(1).reduce((part, key) => part && part[key], api);
}

/* The schema with references resolved, to a limited depth. */
function unfold(api, schema, depth) {
  if (Array.isArray(schema)) return schema.map((each) => unfold(api, each, depth));
  if (schema === null || typeof schema !== 'object') return schema;
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').pop();
    return depth > 2 ? { $ref: name } : unfold(api, resolveRef(api, schema), depth + 1);
  }
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, unfold(api, value, depth)]));
}

/* A minimal example with the required fields. */
function exampleOf(api, given) {
  const schema = resolveRef(api, given);
  if (!schema) return null;
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  if (schema.enum) return schema.enum[0];
  const choice = schema.oneOf || schema.anyOf;
  if (choice) return exampleOf(api, choice[0]);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'object') {
    const required = schema.required || [];
    return Object.fromEntries(required.map((name) => [name, exampleOf(api, (schema.properties || {})[name])]));
  }
  if (type === 'array') return [];
  if (type === 'integer' || type === 'number') return schema.minimum || 0;
  if (type === 'boolean') return false;
  return type === 'string' ? '' : null;
}

function shapeOf(schema) {
  if (schema.enum) return schema.enum.join(' | ');
  const type = Array.isArray(schema.type) ? schema.type.join(' | ') : schema.type || 'any';
  const limits = [schema.minimum !== undefined ? 'from ' + schema.minimum : '', 'default' in schema ? 'default ' + schema.default : ''];
  return [type, ...limits].filter(Boolean).join(', ');
}

/* Test requests */

function addressOf(path, fields) {
  let address = path;
  const query = new URLSearchParams();
  for (const { parameter, input } of fields) {
    if (parameter.in === 'path') address = address.replace('{' + parameter.name + '}', encodeURIComponent(input.value));
    else if (input.value !== '') query.set(parameter.name, input.value);
  }
  return query.size > 0 ? address + '?' + query : address;
}

async function showAnswer(answer, output) {
  const type = (answer.headers.get('content-type') || '').split(';')[0];
  if (type === 'text/event-stream') return showStream(answer, output);
  const text = await answer.text();
  let shown = text;
  if (type.endsWith('json')) try { shown = asText(JSON.parse(text)); } catch {}
  output.textContent = shown.length > MAX_SHOWN ? shown.slice(0, MAX_SHOWN) + '\n… and more' : shown;
}

async function showStream(answer, output) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const isAtEnd = output.scrollHeight - output.scrollTop - output.clientHeight < 40;
    output.textContent = (output.textContent + value).slice(-MAX_SHOWN);
    if (isAtEnd) output.scrollTop = output.scrollHeight;
  }
}

function trier(api, route) {
  const { method, path, operation } = route;
  const fields = (operation.parameters || []).map((parameter) => ({
    parameter,
    input: make('input', { name: parameter.name, autocomplete: 'off', spellcheck: 'false', required: parameter.required }),
  }));
  const rows = fields.map(({ parameter, input }) =>
    make('label', { class: 'row' },
      make('span', {}, make('code', {}, parameter.name), parameter.required ? ' (required)' : ''),
      input,
      make('small', {}, [shapeOf(parameter.schema), parameter.description].filter(Boolean).join('. '))));

  const content = operation.requestBody && operation.requestBody.content;
  const json = content && content['application/json'];
  const body = json ? make('textarea', { 'aria-label': 'Body, JSON', spellcheck: 'false' }) : null;
  if (body) body.value = asText(exampleOf(api, json.schema));
  const file = content && !json ? make('input', { type: 'file', 'aria-label': 'Body, a file' }) : null;

  const ok = Object.entries(operation.responses).find(([status]) => /^[23]/.test(status));
  const isStream = Boolean(ok && ok[1].content && ok[1].content['text/event-stream']);
  const asStream = isStream ? make('input', { type: 'checkbox' }) : null;

  const status = make('span', { class: 'status', role: 'status' });
  const output = make('pre', { tabindex: '0', 'aria-label': 'Answer', hidden: true });
  const stop = make('button', { type: 'button', hidden: true }, 'Stop');
  let running = null;
  stop.addEventListener('click', () => running && running.abort());

  async function send(event) {
    event.preventDefault();
    if (running) running.abort();
    const own = new AbortController();
    running = own;
    const headers = {};
    Object.assign(headers, await accessHeaders());
    if (asStream && asStream.checked) headers.accept = 'text/event-stream';
    if (body) headers['content-type'] = 'application/json';
    output.hidden = false;
    output.textContent = '';
    stop.hidden = false;
    status.className = 'status';
    status.textContent = 'asked…';
    const startedAt = performance.now();
    try {
      const answer = await fetch(addressOf(path, fields), {
        method: method.toUpperCase(),
        headers,
        body: body ? body.value : file ? file.files[0] : undefined,
        signal: own.signal,
        redirect: 'manual',
      });
      status.classList.toggle('bad', answer.status >= 400);
      status.textContent = answer.status + ' ' + answer.statusText + ', ' + Math.round(performance.now() - startedAt) + ' ms';
      await showAnswer(answer, output);
      if (asStream && asStream.checked) status.textContent += ', ended';
    } catch (error) {
      status.classList.toggle('bad', !own.signal.aborted);
      status.textContent = own.signal.aborted ? 'stopped' : 'no answer: ' + error.message;
    } finally {
      if (running === own) {
        running = null;
        stop.hidden = true;
      }
    }
  }

  return make('form', { onsubmit: send },
    ...rows,
    body || file ? make('h3', {}, operation.requestBody.required ? 'Body' : 'Body (optional)') : null,
    body,
    file,
    make('div', { class: 'buttons' },
      make('button', { class: 'main', type: 'submit' }, 'Try it'),
      asStream ? make('label', {}, asStream, ' as a stream') : null,
      stop,
      status),
    output);
}

/* Rendering */

function schemaBlock(api, title, schema) {
  const details = make('details', {}, make('summary', {}, title));
  details.addEventListener('toggle', () => {
    if (details.childElementCount === 1) details.append(make('pre', { tabindex: '0' }, asText(unfold(api, schema, 0))));
  });
  return details;
}

function schemaBlocks(api, operation) {
  const blocks = [];
  const given = operation.requestBody && operation.requestBody.content['application/json'];
  if (given) blocks.push(schemaBlock(api, 'Body, as a schema', given.schema));
  for (const [status, response] of Object.entries(operation.responses)) {
    const { content, description } = resolveRef(api, response);
    const forms = Object.entries(content || {});
    if (forms.length === 0) blocks.push(make('div', {}, status + ': ' + description));
    for (const [type, form] of forms) {
      const schema = form.schema || form.itemSchema;
      const title = status + ' ' + type + ': ' + description;
      blocks.push(schema ? schemaBlock(api, title, schema) : make('div', {}, title));
    }
  }
  return blocks;
}

function drawRoute(api, route) {
  const { method, path, operation } = route;
  const inside = make('div', { class: 'inside' });
  const details = make('details', { class: 'route', id: operation.operationId },
    make('summary', {},
      make('span', { class: 'method' }, method.toUpperCase()),
      make('span', { class: 'path' }, path),
      make('span', { class: 'about' }, operation.summary)),
    inside);
  details.addEventListener('toggle', () => {
    if (!details.open || inside.childElementCount > 0) return;
    inside.append(
      make('section', {}, make('h3', {}, 'Try it'), trier(api, route)),
      make('section', {}, make('h3', {}, 'Schemas'), ...schemaBlocks(api, operation)));
  });
  return details;
}

function readRoutes(api) {
  return Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation, tag: operation.tags[0] })));
}

function draw(api) {
  const all = readRoutes(api);
  const shown = [];
  routes.replaceChildren();
  for (const { name } of api.tags) {
    const heading = make('h2', {}, name);
    const links = make('div', {}, make('h2', {}, name));
    const group = { heading, links, routes: [] };
    routes.append(heading);
    contents.append(links);
    for (const route of all.filter(({ tag }) => tag === name)) {
      const element = drawRoute(api, route);
      const link = make('a', { href: '#' + route.operation.operationId }, route.operation.operationId);
      const words = [route.method, route.path, route.operation.operationId, route.operation.summary].join(' ').toLowerCase();
      routes.append(element);
      links.append(link);
      group.routes.push({ element, link, words });
    }
    shown.push(group);
  }
  find.addEventListener('input', () => {
    const words = find.value.toLowerCase().split(/\s+/);
    for (const group of shown) {
      for (const route of group.routes) {
        route.element.hidden = !words.every((word) => route.words.includes(word));
        route.link.hidden = route.element.hidden;
      }
      group.heading.hidden = group.links.hidden = group.routes.every(({ element }) => element.hidden);
    }
  });
  openNamed();
}

function openNamed() {
  const named = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!named || named.tagName !== 'DETAILS') return;
  named.open = true;
  named.scrollIntoView();
  named.querySelector('summary').focus();
}

/* The entered token, or the login of this browser, signed with its key like the dashboard. */
async function accessHeaders() {
  const shown = token.value === '' ? await signed().catch(() => undefined) : token.value;
  return shown === undefined ? {} : { authorization: 'Bearer ' + shown };
}

async function signed() {
  const login = await new Promise((resolve, reject) => {
    const opening = indexedDB.open('agent-mux', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('login');
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const asked = opening.result.transaction('login').objectStore('login').get('login');
      asked.onsuccess = () => resolve(asked.result);
      asked.onerror = () => reject(asked.error);
      opening.result.close();
    };
  });
  if (!login) return undefined;
  const nonce = (await fetch('/api/v1/health')).headers.get('agent-mux-nonce');
  const text = new TextEncoder().encode(['agent-mux browser', location.origin, nonce].join('\n'));
  const bytes = new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, login.key, text));
  const plain = btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return login.id + '.' + plain;
}

async function showAccess() {
  const { status } = await fetch('/api/v1/inbox', { method: 'HEAD', headers: await accessHeaders() });
  access.textContent = status === 200 ? 'Signed in.' : 'Not signed in: most routes will return 401. A login link or the token helps.';
}

document.addEventListener('keydown', (event) => {
  const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
  if (event.key === '/' && !isTyping) {
    event.preventDefault();
    find.focus();
  }
  if (event.key === 'Escape' && document.activeElement === find) {
    find.value = '';
    find.dispatchEvent(new Event('input'));
  }
});
window.addEventListener('hashchange', openNamed);
token.addEventListener('change', () => void showAccess());

try {
  const answer = await fetch('/api/v1/openapi.json');
  draw(await answer.json());
  await showAccess();
} catch (error) {
  routes.replaceChildren(make('p', { class: 'bad' }, 'Could not load the API document: ' + error.message));
}
`;
