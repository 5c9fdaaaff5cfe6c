import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { executablePath, readSessions, startSession, useDashboard } from './dashboards.ts';

/** Hostile model output. Each line would change the title, open a dialog or send a request. */
const MARKUP = [
  '<img src=x onerror="alert(1)">',
  '<script>document.title="taken"</script>',
  '<svg onload="alert(2)"><a xlink:href="javascript:alert(3)"><text>x</text></a></svg>',
  '<iframe srcdoc="<script>alert(4)</script>"></iframe>',
  '<a href="javascript:alert(5)">html</a>',
  '<style>body{display:none}</style><base href="http://127.0.0.1:9/">',
  '<form action="http://127.0.0.1:9/"><input autofocus onfocus=alert(6)></form>',
  '[one](javascript:alert(7)) [two](JaVaScRiPt:alert(8)) [three](data:text/html,<script>alert(9)</script>) [four](vbscript:x)',
  '![pixel](http://127.0.0.1:9/leak.png) ![drawn](data:image/svg+xml,<svg/onload=alert(10)>)',
  '<http://127.0.0.1:9/auto>',
].join('\n\n');
const TERMINAL =
  '\u001b[31mred\u001b[0m \u001b]8;;http://127.0.0.1:9/\u0007link\u001b]8;;\u0007 \u001b]0;taken\u0007 \u009b2J';
const REVERSED = 'safe \u202etxt.exe\u202c \u2066 end';
const LONG = 'x'.repeat(1_000_000);
const ALL = `${MARKUP}\n\n${TERMINAL}\n\n${REVERSED}`;

const event = (body: object) => ({ do: 'event', event: body });
const tool = { toolCallId: 'call-1', toolName: '<b>tool</b>' };
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(11)"/>').toString('base64');

const TURN = [
  event({ type: 'thinking_start' }),
  event({ type: 'thinking_delta', delta: ALL }),
  event({ type: 'thinking_stop' }),
  event({ type: 'plan_update', entries: [{ content: ALL, status: 'pending' }] }),
  event({ type: 'text_delta', delta: ALL }),
  event({ type: 'message_stop' }),
  event({ type: 'tool_call_start', ...tool }),
  event({ type: 'tool_call_ready', ...tool, input: { command: ALL } }),
  event({ type: 'file_change', path: ALL, change: 'update', diff: `@@ -1 +1 @@\n+${ALL}`, toolCallId: 'call-1' }),
  event({ type: 'tool_result', ...tool, output: `${ALL}\n${LONG}` }),
  event({ type: 'file_output', path: '/tmp/x.svg', fileName: '<x>.svg', mimeType: 'image/svg+xml', data: SVG }),
  {
    do: 'ask',
    event: {
      type: 'approval_request',
      requestId: 'r-1',
      toolName: 'run',
      title: `Run ${REVERSED}`,
      input: { command: ALL },
      options: [
        { id: 'yes', label: '<b>Yes</b>', kind: 'allow_once' },
        { id: 'no', label: 'No', kind: 'deny_once' },
      ],
    },
  },
  event({ type: 'text_delta', delta: 'It is over.' }),
  event({ type: 'turn_end', status: 'completed' }),
];

/** Records dialogs, popups, foreign requests and CSP violations. */
async function watchForHarm(page: Page, origin: string): Promise<string[]> {
  const harm: string[] = [];
  page.on('dialog', (dialog) => {
    harm.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('popup', () => harm.push('a window'));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) harm.push(`a request: ${request.url().slice(0, 100)}`);
  });
  await page.exposeFunction('reportHarm', (what: string) => harm.push(what));
  await page.addInitScript(
    'addEventListener("securitypolicyviolation", (e) => reportHarm("CSP violation: " + e.violatedDirective + " " + e.blockedURI))',
  );
  return harm;
}

describe.skipIf(executablePath === undefined)('hostile content', () => {
  const dashboard = useDashboard({ scripts: { hostile: [TURN] } });

  test('renders agent output as text: no script, popup or foreign request', async () => {
    const { page, issues } = await dashboard.open();
    const harm = await watchForHarm(page, dashboard.url);
    await page.reload();
    await startSession(page, { prompt: ALL, folder: dashboard.work, agent: 'hostile' });
    const summary = page.getByLabel('Request details');
    await summary.waitFor();
    // Invisible and bidirectional control characters are escaped in requests.
    expect(await summary.textContent()).not.toMatch(/[\u001b\u009b\u202e\u2066]/);
    for (const fold of await page.getByRole('log').getByRole('button', { expanded: false }).all()) await fold.click();
    for (const selector of [
      'script',
      'iframe',
      'img',
      'form:not(.composer)',
      'style',
      'base',
      'svg[onload]',
      '[onerror]',
    ])
      expect(await page.getByRole('log').locator(selector).count(), selector).toBe(0);
    const addresses = await page.locator('a').evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''));
    expect(addresses.filter((address) => !/^(?:\/|#|https?:\/\/)/.test(address))).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1280);
    await page.goto(dashboard.url);
    await page.getByRole('article').getByRole('button', { name: '<b>Yes</b>' }).click();
    await page.goto(`${dashboard.url}/sessions`);
    await page.getByRole('listitem').filter({ hasText: 'hostile' }).getByRole('link').first().click();
    await page.getByText('It is over.').waitFor();
    expect(await page.title()).toContain('agent-mux');
    expect(harm).toEqual([]);
    expect(issues).toEqual([]);
  });

  test('denies reads and actions to a page on another port that has the cookie', async () => {
    const { page } = await dashboard.open();
    const before = await readSessions(page);
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>hostile</title>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const hostile = await page.context().newPage();
    const answered: number[] = [];
    hostile.on('response', (response) => {
      if (response.request().method() === 'POST' && response.url().startsWith(dashboard.url))
        answered.push(response.status());
    });
    try {
      await hostile.goto(`http://127.0.0.1:${port}/`);
      const popup = hostile.waitForEvent('popup');
      const outcome = await hostile.evaluate(attack, { url: dashboard.url, cwd: dashboard.work });
      // Until it has loaded, the popup is an empty window of the hostile page.
      await (await popup).waitForURL(`${dashboard.url}/`);
      const opened = await hostile.evaluate<string>(READ_OPENED);
      expect({ ...outcome, opened }).toEqual({
        read: 'refused',
        readBlind: 'opaque or refused',
        act: 'refused',
        json: 'refused',
        image: 'refused',
        stream: 'refused',
        frame: 'unreadable',
        opened: 'unreadable',
      });
      await expect.poll(() => answered.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(2);
      expect(answered.filter((status) => status < 400)).toEqual([]);
    } finally {
      await hostile.close();
      server.close();
    }
    expect((await dashboard.amux('status')).running).toBe(true);
    expect(await readSessions(page)).toEqual(before);
  });
});

/** Whether the hostile page can read the window that it opened. */
const READ_OPENED = `(() => {
  try {
    return opened.document ? 'readable' : 'unreadable';
  } catch {
    return 'unreadable';
  }
})()`;

/** Runs in the hostile page. */
async function attack({ url, cwd }: { url: string; cwd: string }): Promise<Record<string, string>> {
  const page = globalThis as unknown as {
    document: {
      createElement(name: string): Record<string, unknown> & { submit(): void; append(child: unknown): void };
      body: { append(child: unknown): void };
    };
    EventSource: new (address: string, options: object) => Record<string, unknown> & { close(): void };
    open(address: string): unknown;
    opened?: unknown;
  };
  const api = `${url}/api/v1`;
  const body = JSON.stringify({ agent: 'demo', cwd, prompt: 'hello' });
  const outcomeOf = (response: Promise<Response>) =>
    response.then(
      ({ type, status }) => (type === 'opaque' ? 'sent' : String(status)),
      () => 'refused',
    );
  const settled = (element: Record<string, unknown>, good: string) =>
    new Promise<string>((resolve) => {
      element[good] = () => resolve('loaded');
      element.onerror = () => resolve('refused');
    });
  const submit = (path: string, name: string, value: string) => {
    const [frame, form, field] = ['iframe', 'form', 'input'].map((each) => page.document.createElement(each));
    Object.assign(frame!, { name: `target-${name.length}` });
    Object.assign(form!, { method: 'post', enctype: 'text/plain', action: `${api}${path}`, target: frame!.name });
    Object.assign(field!, { name, value });
    form!.append(field);
    page.document.body.append(frame);
    page.document.body.append(form);
    form!.submit();
  };
  const unreadable = (read: () => unknown) => {
    try {
      return read() ? 'readable' : 'unreadable';
    } catch {
      return 'unreadable';
    }
  };
  const all = { credentials: 'include' } as const;
  const image = page.document.createElement('img');
  const imageLoaded = settled(image, 'onload');
  image.src = `${api}/sessions`;
  const source = new page.EventSource(`${api}/changes`, { withCredentials: true });
  const streamed = settled(source, 'onopen');
  const frame = page.document.createElement('iframe');
  const framed = new Promise<void>((resolve) => {
    frame.onload = () => resolve();
  });
  frame.src = `${url}/`;
  page.document.body.append(frame);
  await framed;
  page.opened = page.open(`${url}/`);
  submit('/shutdown', '{"x":"', '"}');
  submit('/sessions', body.slice(0, -1).concat(',"title":"'), '"}');
  const blind = await outcomeOf(fetch(`${api}/sessions`, { ...all, mode: 'no-cors' }));
  return {
    read: await outcomeOf(fetch(`${api}/sessions`, all)),
    readBlind: blind === 'sent' || blind === 'refused' ? 'opaque or refused' : blind,
    act: await outcomeOf(fetch(`${api}/shutdown`, { ...all, method: 'POST' })),
    json: await outcomeOf(
      fetch(`${api}/sessions`, {
        ...all,
        method: 'POST',
        body: body,
        headers: { 'content-type': 'application/json' },
      }),
    ),
    image: await imageLoaded,
    stream: await streamed.finally(() => source.close()),
    frame: unreadable(() => (frame.contentDocument as { body: { children: { length: number } } }).body.children.length),
  };
}
