/** Fixed sessions for the screenshots. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Dashboard, Scripts } from '../../packages/web/test/open-dashboard.ts';
import type { World } from '../../packages/web/test/views.ts';

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
          { content: 'Fix the offset', status: 'completed' },
          { content: 'Run the tests', status: 'in_progress' },
        ],
      }),
      ...say('I look for where the orders are cut into pages.'),
      ...call('c1', 'search_files', { pattern: 'PAGE_SIZE' }, [
        result('c1', 'search_files', 'src/orders/pages.ts:3\nsrc/orders/pages.ts:13'),
      ]),
      ...say(
        'Found it. `pageOf` takes the number of the page as if the first were **0**, but all callers pass **1**:\n\n| page | first order now | first order wanted |\n|---|---|---|\n| 1 | 20 | 0 |\n| 2 | 40 | 20 |',
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

/** In start order: the last one is listed first. */
const SESSIONS = [
  {
    title: 'Translate the welcome page',
    agent: 'demo',
    project: 'website',
    prompt: 'Hello! Can you translate the welcome page?',
    until: 'done',
  },
  {
    title: 'Say which node this runs on',
    agent: 'demo',
    project: 'engine',
    prompt: 'Run node --version, and say what it prints',
    mode: 'yolo',
    until: 'done',
  },
  {
    title: 'Take notes of the meeting',
    agent: 'demo',
    project: 'notes',
    prompt: 'Write notes.md with what we said in the meeting',
    until: 'done',
  },
  {
    title: 'Welcome the new ones',
    agent: 'demo',
    project: 'website',
    prompt: 'Write welcome.md "Welcome! It is good that you are here."',
    until: 'asked',
    answer: 'allow',
  },
  { title: 'Which node is this?', agent: 'demo', project: 'shop', prompt: 'Run it', until: 'asked', answer: 'deny' },
  {
    title: 'A report of this week',
    agent: 'demo',
    project: 'notes',
    prompt: 'Give me a report of this week',
    mode: 'yolo',
    until: 'done',
  },
  {
    title: 'Update the dependencies',
    agent: 'demo',
    project: 'engine',
    prompt: 'Bring all dependencies up to date (fail auth)',
    until: 'failed',
  },
  {
    title: 'Greet our visitors',
    agent: 'demo',
    project: 'website',
    prompt: 'Ask me how to greet, then greet our visitors',
    until: 'asked',
  },
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
    prompt: 'The second page of the orders is always empty. Find out why, and fix it.',
    until: 'asked',
  },
  {
    title: 'Wait for the build',
    agent: 'demo',
    project: 'engine',
    prompt: 'Hang on until the build is done',
    until: 'running',
  },
  // A limit blocks all sessions that start after it.
  {
    title: 'Rewrite the parser',
    agent: 'demo',
    project: 'engine',
    prompt: 'Rewrite the parser without recursion (fail rate limit for 7200s)',
    until: 'limited',
  },
] as const;

interface Row {
  id: string;
  activity: string;
  turns: number;
  openRequests: number;
}

/** Fake terminal UI of an agent. */
const SCREEN = `
[ "$1" = --version ] && { echo 0.9.1; exit; }
printf '\\033[1;38;5;68m shop-agent\\033[0m \\033[2m0.9.1 · /home/you/shop\\033[0m\\n\\n'
printf '\\033[2m>\\033[0m Which tests fail?\\n\\n'
printf '\\033[32m●\\033[0m Ran \\033[1mnpm test\\033[0m\\n'
printf '  \\033[31m✗\\033[0m orders › the second page has the next twenty\\n'
printf '  \\033[32m✓\\033[0m orders › the first page has twenty\\n'
printf '  \\033[32m✓\\033[0m basket › a thing is put in\\n\\n'
printf 'One fails: \\033[4msrc/orders/pages.ts:13\\033[0m takes the first page for page 0.\\n\\n'
printf '\\033[2m> \\033[0m'
while :; do read -r line || continue; done`;

/** Additional setup: an agent with a terminal UI, and fake CLIs. */
export const SETUP = {
  config: { adapters: [join(import.meta.dirname, '../../packages/daemon/test/terminal-adapter.ts')] },
  programs: {
    'screen-agent': SCREEN,
    claude: 'echo "2.1.290 (Claude Code)"',
    codex: 'echo "codex-cli 0.166.0"',
    gemini: 'echo 0.56.0',
  },
};

/** Creates sessions in every state, with content for every view. */
export async function createWorld(page: Page, { url, work, amux }: Dashboard): Promise<World> {
  const ids: Partial<Record<string, string>> = {};
  await amux('policy', 'add', 'allow', '--name', 'my-notes', '--kind', 'edit', '--folder', join(work, 'notes'));
  for (const { title, agent, project, prompt, until, ...rest } of SESSIONS) {
    const cwd = join(work, project);
    mkdirSync(cwd, { recursive: true });
    const options = 'mode' in rest ? { approvalMode: rest.mode } : {};
    // A limit blocks all sessions that start after it.
    if (until === 'limited') {
      ids.changed = await createChanges(join(work, 'shop-source'), amux);
      const shop = join(work, 'shop');
      const { id } = await amux('new', 'Which tests fail?', '-a', 'screen', '-C', shop, '--terminal');
      ids.screen = String(id);
      await ask(page, 'PATCH', `/sessions/${id}`, { title: 'Which tests fail?' });
    }
    const { id } = await ask<Row>(page, 'POST', '/sessions', { agent, cwd, prompt, title, options });
    ids[title] = id;
    for (;;) {
      const row = await ask<Row>(page, 'GET', `/sessions/${id}`);
      const isReached =
        until === 'asked' ? row.openRequests > 0 : until === 'running' ? row.activity === 'active' : row.turns > 0;
      if (isReached) break;
      await page.waitForTimeout(100);
    }
    if ('answer' in rest) await answer(page, id, rest.answer);
  }
  await page.goto(`${url}/history`);
  const stored = await page.getByRole('main').getByRole('listitem').getByRole('link').first().getAttribute('href');
  return {
    url,
    read: ids['The second page of orders is empty'] ?? '',
    asking: ids['Greet our visitors'] ?? '',
    failed: ids['Update the dependencies'] ?? '',
    changed: ids.changed ?? '',
    screen: ids.screen ?? '',
    stored: stored ?? '',
  };
}

async function answer(page: Page, sessionId: string, decision: 'allow' | 'deny'): Promise<void> {
  const { requests } = await ask<{ requests: { id: string; sessionId: string }[] }>(
    page,
    'GET',
    '/requests?state=open',
  );
  const request = requests.find((each) => each.sessionId === sessionId);
  const reason = decision === 'deny' ? { message: 'ask again tomorrow' } : {};
  await ask(page, 'POST', `/requests/${request?.id}/answer`, { decision, ...reason });
}

const PAGES_SOURCE = `import type { Order } from './order.ts';

const PAGE_SIZE = 20;

/** The orders of a page, newest first. */
export function pageOf(orders: Order[], page: number): Order[] {
  const from = page * PAGE_SIZE;
  return orders.slice(from, from + PAGE_SIZE);
}
`;

/** Creates a worktree with a changed file and a new one. */
async function createChanges(repository: string, amux: Dashboard['amux']): Promise<string> {
  mkdirSync(join(repository, 'src/orders'), { recursive: true });
  writeFileSync(join(repository, 'src/orders/pages.ts'), PAGES_SOURCE);
  writeFileSync(join(repository, 'src/orders/order.ts'), 'export interface Order {\n  id: number;\n}\n');
  writeFileSync(join(repository, 'README.md'), '# The shop\n');
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repository, '-c', 'user.name=A', '-c', 'user.email=a@localhost', ...args]);
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'The shop');
  const session = await amux(
    'new',
    '-a',
    'demo',
    '--worktree',
    '-C',
    repository,
    '--title',
    'Pages are counted from one',
  );
  const file = join(String(session.cwd), 'src/orders/pages.ts');
  writeFileSync(
    file,
    PAGES_SOURCE.replace('  const from = page *', '  // Pages are counted from one.\n  const from = (page - 1) *'),
  );
  writeFileSync(
    join(String(session.cwd), 'src/orders/pages.test.ts'),
    "test('the second page has the next twenty', () => {\n  expect(pageOf(forty, 2)).toEqual(forty.slice(20));\n});\n",
  );
  return String(session.id);
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
