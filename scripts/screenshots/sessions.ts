/** What the pictures show: the same every time. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Scripts } from '../../packages/web/test/open-dashboard.ts';

const KINDS: Readonly<Record<string, string>> = { search_files: 'search', edit_file: 'edit', run_command: 'execute' };
const event = (body: object) => ({ do: 'event', event: body });
const say = (delta: string) => [event({ type: 'text_delta', delta }), event({ type: 'message_stop' })];
const call = (toolCallId: string, toolName: string, input: object, rest: readonly object[]) => [
  event({ type: 'tool_call_start', toolCallId, toolName, kind: KINDS[toolName] }),
  event({ type: 'tool_call_ready', toolCallId, toolName, input, kind: KINDS[toolName] }),
  ...rest,
];
const result = (toolCallId: string, toolName: string, output: string) =>
  event({ type: 'tool_result', toolCallId, toolName, output, kind: KINDS[toolName] });

const PAGES_FIX = [
  '@@ -12,7 +12,8 @@',
  ' export function pageOf(orders: Order[], page: number) {',
  '-  const from = page * PAGE_SIZE;',
  '+  // Pages are counted from one.',
  '+  const from = (page - 1) * PAGE_SIZE;',
  '   return orders.slice(from, from + PAGE_SIZE);',
  ' }',
  '',
].join('\n');

export const SCRIPTS: Scripts = {
  scripted: [
    [
      event({ type: 'thinking_start' }),
      event({
        type: 'thinking_delta',
        delta: 'The first page works, the second is empty: an offset that is one too far?',
      }),
      event({ type: 'thinking_stop' }),
      event({
        type: 'plan_update',
        entries: [
          { content: 'Find where orders are cut into pages', status: 'completed' },
          { content: 'Mend the offset', status: 'completed' },
          { content: 'Run the tests', status: 'in_progress' },
        ],
      }),
      ...say('I look for where the orders are cut into pages.'),
      ...call('c1', 'search_files', { pattern: 'PAGE_SIZE' }, [
        result('c1', 'search_files', 'src/orders/pages.ts:3\nsrc/orders/pages.ts:13'),
      ]),
      ...say(
        'Found it. `pageOf` takes the number of the page as if the first were **0**, and everybody calls it with **1**:\n\n| page | first order now | first order wanted |\n|---|---|---|\n| 1 | 20 | 0 |\n| 2 | 40 | 20 |',
      ),
      ...call('c2', 'edit_file', { path: 'src/orders/pages.ts' }, [
        event({
          type: 'file_change',
          path: 'src/orders/pages.ts',
          change: 'update',
          diff: PAGES_FIX,
          toolCallId: 'c2',
        }),
        result('c2', 'edit_file', 'changed'),
      ]),
      ...say('Now the tests, if I may.'),
      ...call('c3', 'run_command', { command: 'npm test -- orders' }, []),
      {
        do: 'ask',
        event: {
          type: 'approval_request',
          requestId: 'r-{{n}}',
          toolCallId: 'c3',
          toolName: 'run_command',
          kind: 'execute',
          title: 'Run npm test -- orders',
          input: { command: 'npm test -- orders', timeout: '120 s' },
          options: [
            { id: 'once', label: 'Allow', kind: 'allow_once' },
            { id: 'always', label: 'Allow in this session', kind: 'allow_always' },
            { id: 'no', label: 'Deny', kind: 'deny_once' },
          ],
        },
      },
      event({ type: 'turn_end', status: 'completed' }),
    ],
  ],
};

/** In the order in which they are begun: the last is the first of its list. */
const SESSIONS = [
  { title: 'Translate the welcome page', agent: 'demo', project: 'website', prompt: 'hello', until: 'done' },
  {
    title: 'Say which node this runs on',
    agent: 'demo',
    project: 'engine',
    prompt: 'run',
    mode: 'yolo',
    until: 'done',
  },
  { title: 'Take notes of the meeting', agent: 'demo', project: 'notes', prompt: 'write', mode: 'yolo', until: 'done' },
  { title: 'A report of this week', agent: 'demo', project: 'notes', prompt: 'report', mode: 'yolo', until: 'done' },
  { title: 'Update the dependencies', agent: 'demo', project: 'engine', prompt: 'fail auth', until: 'failed' },
  { title: 'Greet our visitors', agent: 'demo', project: 'website', prompt: 'ask me a question', until: 'asked' },
  {
    title: 'Write the greeting',
    agent: 'demo',
    project: 'website',
    prompt: 'write hello.txt "Good day!"',
    until: 'asked',
  },
  {
    title: 'The second page of orders is empty',
    agent: 'scripted',
    project: 'shop',
    prompt: 'The second page of the orders is always empty. Find out why, and mend it.',
    until: 'asked',
  },
  { title: 'Wait for the build', agent: 'demo', project: 'engine', prompt: 'hang', until: 'running' },
  // A limit holds up all that are begun after it.
  {
    title: 'Rewrite the parser',
    agent: 'demo',
    project: 'engine',
    prompt: 'fail rate limit for 7200s',
    until: 'limited',
  },
] as const;

interface Row {
  id: string;
  activity: string;
  turns: number;
  openRequests: number;
}

/** Returns the id of the session that is read in a picture. */
export async function beginSessions(page: Page, work: string): Promise<{ read: string }> {
  let read = '';
  for (const { title, agent, project, prompt, until, ...rest } of SESSIONS) {
    const cwd = join(work, project);
    mkdirSync(cwd, { recursive: true });
    const options = 'mode' in rest ? { approvalMode: rest.mode } : {};
    const { id } = await ask<Row>(page, 'POST', '/sessions', { agent, cwd, prompt, title, options });
    if (agent === 'scripted') read = id;
    for (;;) {
      const row = await ask<Row>(page, 'GET', `/sessions/${id}`);
      const isSo =
        until === 'asked' ? row.openRequests > 0 : until === 'running' ? row.activity === 'active' : row.turns > 0;
      if (isSo) break;
      await page.waitForTimeout(100);
    }
  }
  return { read };
}

async function ask<Answer>(page: Page, method: string, path: string, body?: object): Promise<Answer> {
  return await page.evaluate(
    async ({ method: verb, path: to, text }) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(`/api/v1${to}`, {
        method: verb,
        ...(text === undefined ? {} : { body: text, headers }),
      });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as Answer;
    },
    { method, path, text: body === undefined ? undefined : JSON.stringify(body) },
  );
}
