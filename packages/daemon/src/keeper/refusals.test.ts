import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { live, message, say, sees, useKeepers } from '../../test/keepers.ts';
import { journalIn } from '../paths.ts';
import { PROTOCOL_VERSION } from './protocol.ts';
import { readRecord, recordPath } from './record.ts';
import { assertOwnFolder } from './socket-path.ts';

const { home, start, connect } = useKeepers();

describe('refused launch', () => {
  it.each([
    ['UNKNOWN_AGENT', { agent: 'missing-agent' }],
    ['VALIDATION_ERROR', { options: { timeout: -1 } }],
    ['CAPABILITY_ERROR', { options: { outputSchema: { type: 'object' } } }],
    ['AGENT_NOT_INSTALLED', { agent: 'goose' }],
    ['VALIDATION_ERROR', { message: { messageId: 'm', text: '', attachments: [] } }],
  ])('fails with %s, journals nothing and leaves no process', async (code, given) => {
    const { launch, folder } = home();
    await expect(start(launch(given))).rejects.toMatchObject({ code });
    expect(existsSync(journalIn(folder())) ? readdirSync(journalIn(folder())) : []).toEqual([]);
    expect(readdirSync(folder()).filter((name) => name !== 'journal')).toEqual(['keeper.log']);
  });

  it('reports the end of the log if the keeper itself fails', async () => {
    const { launch } = home();
    const given = launch();
    // A folder at the path of the record.
    mkdirSync(recordPath(given.folder), { recursive: true, mode: 0o700 });
    writeFileSync(join(recordPath(given.folder), 'x'), '');
    await expect(start(given)).rejects.toMatchObject({ message: expect.stringMatching(/keeper\.json|directory/) });
  });

  it('refuses a session that another keeper holds', async () => {
    const { launch, folder } = home();
    const first = await start(launch());
    await expect(start(launch({ launch: 2, firstSeq: 1000 }))).rejects.toMatchObject({ code: 'KEEPER_EXISTS' });
    expect(readRecord(folder())?.pid).toBe(first.connection.record.pid);
    await sees(first, 'turn_end');
  });
});

describe('refused connection', () => {
  it('refuses a process that reuses the pid of a keeper', async () => {
    const { launch, folder } = home();
    const daemon = await start(launch());
    const record = daemon.connection.record;
    writeFileSync(recordPath(folder()), JSON.stringify({ ...record, pid: process.pid }));
    await expect(connect(folder(), {})).rejects.toMatchObject({ code: 'KEEPER_GONE' });
    writeFileSync(recordPath(folder()), JSON.stringify({ ...record, startTime: '1' }));
    await expect(connect(folder(), {})).rejects.toMatchObject({ code: 'KEEPER_GONE' });
    writeFileSync(recordPath(folder()), '{"half');
    await expect(connect(folder(), {})).rejects.toMatchObject({ code: 'KEEPER_GONE' });
    writeFileSync(recordPath(folder()), JSON.stringify(record));
  });

  it('refuses keepers and daemons with an unsupported protocol version', async () => {
    const { launch, folder } = home();
    const { connection } = await start(launch());
    const { record } = connection;
    for (const protocol of [0, PROTOCOL_VERSION + 1]) {
      writeFileSync(recordPath(folder()), JSON.stringify({ ...record, protocol }));
      await expect(connect(folder(), {})).rejects.toMatchObject({ code: 'PROTOCOL' });
      expect(await exchange(record.socket, { type: 'hello', id: 7, protocol, after: {} })).toMatchObject({
        ...{ type: 'reply', id: 7, ok: false, error: { code: 'PROTOCOL' } },
      });
    }
    writeFileSync(recordPath(folder()), JSON.stringify(record));
  });

  it('refuses a client that sends no hello or invalid JSON', async () => {
    const { launch } = home(live([say('x')]));
    const { connection } = await start(launch());
    const { socket } = connection.record;
    expect(await exchange(socket, { type: 'end', id: 1, sessionId: 's1', how: 'abort' })).toBeUndefined();
    expect(await exchange(socket, 'no JSON')).toBeUndefined();
    await expect(connection.order({ type: 'send', sessionId: 's1', message: message('m2') })).resolves.toBeDefined();
  });
});

/** The reply to one line, before the keeper closes the connection. */
function exchange(path: string, value: unknown): Promise<unknown> {
  const socket = connectSocket(path);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`);
  return new Promise((resolve) => socket.on('close', () => resolve(answer === '' ? undefined : JSON.parse(answer))));
}

describe.skipIf(process.platform === 'win32')('socket folder', () => {
  const LONG = 'a-rather-long-name-of-a-session-'.repeat(4);

  it('is short and private if the session path is too long', async () => {
    const { launch, root } = home();
    const { connection } = await start(launch({ sessionId: LONG }));
    expect(connection.record.socket.length).toBeLessThanOrEqual(100);
    expect(connection.record.socket).toMatch(new RegExp(`^${join(root, 'tmp')}/agent-mux-\\d+/`));
    expect(() => assertOwnFolder(join(connection.record.socket, '..'))).not.toThrow();
  });

  it('is refused if it is a link or accessible to others', async () => {
    const { launch, root } = home();
    const folder = join(root, 'tmp', `agent-mux-${process.getuid?.()}`);
    mkdirSync(join(root, 'other'), { mode: 0o700 });
    symlinkSync(join(root, 'other'), folder);
    await expect(start(launch({ sessionId: LONG }))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(readdirSync(join(root, 'other'))).toEqual([]);
    const open = home();
    const others = join(open.root, 'tmp', `agent-mux-${process.getuid?.()}`);
    mkdirSync(others);
    chmodSync(others, 0o777);
    await expect(start(open.launch({ sessionId: LONG }))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it.skipIf(process.getuid?.() !== 0)('is refused if it belongs to another user (needs root)', async () => {
    const { launch, root } = home();
    const folder = join(root, 'tmp', `agent-mux-${process.getuid?.()}`);
    mkdirSync(folder, { mode: 0o700 });
    chownSync(folder, 12_345, 12_345);
    await expect(start(launch({ sessionId: LONG }))).rejects.toMatchObject({
      ...{ code: 'FORBIDDEN', message: expect.stringContaining('another user') },
    });
  });
});

describe('launch spec', () => {
  it('does not appear in process listings, environments or files', async () => {
    const secret = 'correct-horse-battery-staple';
    const { launch, folder, hostEnv, root } = home(
      live([say(`it is ${secret.slice(0, 9)}`), say(`${secret.slice(9)}.`)]),
    );
    const given = launch({ env: { MY_TOKEN: secret }, hostEnv: { ...hostEnv, OTHER_API_KEY: `x${secret}` } });
    const daemon = await start({ ...given, message: message('m1', `use ${secret}`) });
    await sees(daemon, 'turn_end');
    const { pid } = daemon.connection.record;
    for (const name of ['cmdline', 'environ'])
      expect(readFileSync(`/proc/${pid}/${name}`, 'utf8')).not.toContain(secret);
    const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const texts = files
      .filter(({ parentPath }) => parentPath.startsWith(folder()))
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
    expect(texts.join('\n')).not.toContain(secret);
    expect(texts.join('\n')).toContain('use [redacted]');
    expect(texts.join('\n')).toContain('[redacted].');
  });
});
