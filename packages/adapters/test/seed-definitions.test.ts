import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { seedDefinition, seedDefinitions, substitute } from '@agent-mux/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newUser, openClient, recorder, type User, writeAgents } from './configured.ts';
import { eventsOf, typed } from './engine.ts';

const LIMIT = { timeout: 30_000 };

interface Given {
  args: string[];
  cwd: string;
  env: Record<string, string>;
}

/** The definitions as written, on a machine where their paths are below a folder of this test. */
function newMachine(): { user: User; record: string; command(path: string, code: string): void; options(): Given[] } {
  const user = newUser([]);
  const at = (path: string) => join(user.home, 'root', path);
  const places = Object.fromEntries(
    ['/usr/local/bin/', '/home/user/projects', '/tmp/jobs', '/opt/agents'].map((path) => [path, at(path)]),
  );
  writeAgents(user, substitute(seedDefinitions, places));
  for (const folder of ['/home/user/projects', '/tmp/jobs', '/opt/agents']) mkdirSync(at(folder), { recursive: true });
  user.env.PATH = `${at('/usr/bin')}:${user.env.PATH}`;
  const record = join(user.home, 'record');
  return {
    user,
    record,
    command: (path, code) => recorder(at(path), record, code),
    options: () =>
      readFileSync(record, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}

const root = ({ home }: User, path: string) => join(home, 'root', path);

describe('definitions of the seed document', () => {
  it('are all valid', () => {
    const { user } = newMachine();
    const client = openClient(user);
    expect(client.configIssues).toEqual([]);
    for (const { id } of seedDefinitions) expect(client.adapters.get(id).agent).toBe(id);
  });

  it('generic-cli', LIMIT, async () => {
    const { user, command, options } = newMachine();
    command(
      '/usr/local/bin/my-agent',
      'process.stdin.on("data", (data) => console.log(("you said: " + data).trim()));',
    );
    const result = await openClient(user).run({ agent: 'my-agent', prompt: 'hello' });
    expect(result).toMatchObject({ exitReason: 'completed', text: 'you said: hello\n' });
    expect(options()).toMatchObject([
      {
        args: ['--interactive', '--no-color'],
        cwd: root(user, '/home/user/projects'),
        env: { AGENT_MODE: 'chat' },
      },
    ]);
  });

  it('generic-job', LIMIT, async () => {
    const { user, command, options } = newMachine();
    command(
      '/usr/local/bin/batch-job',
      "process.stdin.on('data', (data) => console.log(JSON.stringify({ data: String(data) })));",
    );
    const result = await openClient(user).run({ agent: 'batch-runner', prompt: 'hello' });
    expect(result).toMatchObject({ exitReason: 'completed', text: '{"data":"hello\\n"}\n' });
    expect(options()).toMatchObject([{ args: ['--output-json'], cwd: root(user, '/tmp/jobs') }]);
  });

  it('generic-http', LIMIT, async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      const { method, url, headers } = request;
      request.setEncoding('utf8').on('data', (body: string) => seen.push({ method, url, headers, body }));
      request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"text":"hi"}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const user = newUser([
      substitute(seedDefinition('llm-proxy'), { 'https://api.example.com': `http://127.0.0.1:${port}` }),
    ]);
    const result = await openClient(user).run({ agent: 'llm-proxy', prompt: 'hello', cwd: user.cwd });
    expect(result).toMatchObject({ exitReason: 'completed', text: 'hi' });
    expect(seen).toMatchObject([
      {
        method: 'POST',
        url: '/v1/chat',
        headers: { authorization: 'Bearer sk-...', 'content-type': 'application/json' },
        body: '{"message":"hello"}',
      },
    ]);
  });

  it('external', LIMIT, async () => {
    const { user, command, options } = newMachine();
    command(
      '/usr/local/bin/my-adapter',
      `import { createInterface } from 'node:readline';
      createInterface({ input: process.stdin }).on('line', (line) => {
        const { type, session_id, content } = JSON.parse(line);
        if (type !== 'user.input') return;
        for (const said of [{ type: 'output', content: 'you said: ' + content, channel: 'stdout' }, { type: 'turn.complete' }])
          console.log(JSON.stringify({ ...said, session_id }));
      });`,
    );
    const result = await openClient(user).run({ agent: 'custom-agent', prompt: 'hello' });
    expect(result).toMatchObject({ exitReason: 'completed', text: 'you said: hello' });
    expect(options()).toMatchObject([
      { args: ['--mode', 'jsonl'], cwd: root(user, '/opt/agents'), env: { LOG_LEVEL: 'debug' } },
    ]);
  });

  // The verification case `definition` shows that the real CLIs behave as these arguments say.
  it.each([
    [
      'claude',
      [
        '--permission-mode=bypassPermissions',
        '--model=sonnet',
        '--append-system-prompt=You are a helpful coding assistant.',
        '--max-turns=50',
        '--allowedTools=Read',
        '--allowedTools=Write',
        '--allowedTools=Bash',
      ],
      {},
    ],
    [
      'copilot',
      ['--model=claude-sonnet-4.5', '--allow-tool=fs_read', '--allow-tool=fs_write', '--deny-tool=shell_execute'],
      {},
    ],
    ['codex', ['app-server'], {}],
    ['kilo', ['serve'], { KILO_MODEL: 'anthropic/claude-sonnet-4', KILO_PROVIDER: 'anthropic' }],
  ])('%s: starts the CLI as defined', LIMIT, async (agent, args, env) => {
    const { user, command, options } = newMachine();
    command(`/usr/bin/${agent}`, "if (given.args.includes('--version')) console.log('1.0.0');");
    const events = await eventsOf(openClient(user).run({ agent, prompt: 'hello' }));
    expect(typed(events, 'session_end')).toHaveLength(1);
    const launch = options().find((one) => !one.args.includes('--version'));
    expect(launch).toMatchObject({ env });
    // A server that several runs may share gets the folder with each request.
    if (agent !== 'kilo') expect(launch?.cwd).toBe(root(user, '/home/user/projects'));
    expect(launch?.args).toEqual(expect.arrayContaining([...args]));
  });

  it('codex: sends its policy, sandbox, model and folder in the conversation', LIMIT, async () => {
    const { user, command } = newMachine();
    const asked = join(user.home, 'asked');
    command(
      '/usr/bin/codex',
      `import { createInterface } from 'node:readline';
      if (given.args.includes('--version')) { console.log('codex-cli 1.0.0'); process.exit(0); }
      createInterface({ input: process.stdin }).on('line', (line) => {
        appendFileSync(${JSON.stringify(asked)}, line + '\\n');
        const { id, method } = JSON.parse(line);
        if (method === 'initialize') console.log(JSON.stringify({ id, result: {} }));
        else if (id !== undefined) process.exit(0);
      });`,
    );
    await eventsOf(openClient(user).run({ agent: 'codex', prompt: 'hello' }));
    const start = readFileSync(asked, 'utf8')
      .split('\n')
      .find((line) => line.includes('thread/start'));
    expect(JSON.parse(start ?? '{}').params).toMatchObject({
      model: 'gpt-5',
      approvalPolicy: 'on-request',
      sandbox: 'workspace-write',
      cwd: root(user, '/home/user/projects'),
    });
  });
});
