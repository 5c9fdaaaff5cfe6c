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
import { journalIn } from '../places.ts';
import { PROTOCOL_VERSION } from './protocol.ts';
import { readRecord, recordPath } from './record.ts';
import { assertOwnFolder } from './socket-place.ts';

const { home, start, connect } = useKeepers();

describe('a launch that is refused', () => {
  it.each([
    ['UNKNOWN_AGENT', { agent: 'nobody' }],
    ['VALIDATION_ERROR', { options: { timeout: -1 } }],
    ['CAPABILITY_ERROR', { options: { outputSchema: { type: 'object' } } }],
    ['AGENT_NOT_INSTALLED', { agent: 'goose' }],
    ['VALIDATION_ERROR', { message: { messageId: 'm', text: '', attachments: [] } }],
  ])('says %s, journals nothing and leaves no process', async (code, given) => {
    const { launch, folder } = home();
    await expect(start(launch(given))).rejects.toMatchObject({ code });
    expect(existsSync(journalIn(folder())) ? readdirSync(journalIn(folder())) : []).toEqual([]);
    expect(readdirSync(folder()).filter((name) => name !== 'journal')).toEqual(['keeper.log']);
  });

  it('is told with the end of the log where the keeper itself fails', async () => {
    const { launch } = home();
    const given = launch();
    // A folder in the place of its record.
    mkdirSync(recordPath(given.folder), { recursive: true, mode: 0o700 });
    writeFileSync(join(recordPath(given.folder), 'x'), '');
    await expect(start(given)).rejects.toMatchObject({ message: expect.stringMatching(/keeper\.json|directory/) });
  });

  it('is one for a session that another keeper holds', async () => {
    const { launch, folder } = home();
    const first = await start(launch());
    await expect(start(launch({ launch: 2, firstSeq: 1000 }))).rejects.toMatchObject({ code: 'KEEPER_THERE' });
    expect(readRecord(folder())?.pid).toBe(first.connection.record.pid);
    await sees(first, 'turn_end');
  });
});

describe('a connection that is refused', () => {
  it('is one to a process that got the pid of a keeper later', async () => {
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

  it('is one to a keeper of another protocol, and one of such a daemon', async () => {
    const { launch, folder } = home();
    const { connection } = await start(launch());
    const { record } = connection;
    for (const protocol of [0, PROTOCOL_VERSION + 1]) {
      writeFileSync(recordPath(folder()), JSON.stringify({ ...record, protocol }));
      await expect(connect(folder(), {})).rejects.toMatchObject({ code: 'PROTOCOL' });
      expect(await say1(record.socket, { type: 'hello', id: 7, protocol, after: {} })).toMatchObject({
        ...{ type: 'reply', id: 7, ok: false, error: { code: 'PROTOCOL' } },
      });
    }
    writeFileSync(recordPath(folder()), JSON.stringify(record));
  });

  it('is one that does not say hello, or says no JSON', async () => {
    const { launch } = home(live([say('x')]));
    const { connection } = await start(launch());
    const { socket } = connection.record;
    expect(await say1(socket, { type: 'end', id: 1, sessionId: 's1', how: 'abort' })).toBeUndefined();
    expect(await say1(socket, 'no JSON')).toBeUndefined();
    await expect(connection.order({ type: 'send', sessionId: 's1', message: message('m2') })).resolves.toBeDefined();
  });
});

/** What is answered to one line, before the connection is closed by the other side. */
function say1(path: string, value: unknown): Promise<unknown> {
  const socket = connectSocket(path);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  socket.write(`${typeof value === 'string' ? value : JSON.stringify(value)}\n`);
  return new Promise((resolve) => socket.on('close', () => resolve(answer === '' ? undefined : JSON.parse(answer))));
}

describe.skipIf(process.platform === 'win32')('the folder of a socket', () => {
  const LONG = 'a-rather-long-name-of-a-session-'.repeat(4);

  it('is a short one of its owner alone where the path of the session is too long', async () => {
    const { launch, root } = home();
    const { connection } = await start(launch({ sessionId: LONG }));
    expect(connection.record.socket.length).toBeLessThanOrEqual(100);
    expect(connection.record.socket).toMatch(new RegExp(`^${join(root, 'tmp')}/agent-mux-\\d+/`));
    expect(() => assertOwnFolder(join(connection.record.socket, '..'))).not.toThrow();
  });

  it('is refused where it is a link, or open to others', async () => {
    const { launch, root } = home();
    const place = join(root, 'tmp', `agent-mux-${process.getuid?.()}`);
    mkdirSync(join(root, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(root, 'elsewhere'), place);
    await expect(start(launch({ sessionId: LONG }))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(readdirSync(join(root, 'elsewhere'))).toEqual([]);
    const open = home();
    const others = join(open.root, 'tmp', `agent-mux-${process.getuid?.()}`);
    mkdirSync(others);
    chmodSync(others, 0o777);
    await expect(start(open.launch({ sessionId: LONG }))).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  it.skipIf(process.getuid?.() !== 0)(
    'is refused where it belongs to another user (only root can make one)',
    async () => {
      const { launch, root } = home();
      const place = join(root, 'tmp', `agent-mux-${process.getuid?.()}`);
      mkdirSync(place, { mode: 0o700 });
      chownSync(place, 12_345, 12_345);
      await expect(start(launch({ sessionId: LONG }))).rejects.toMatchObject({
        ...{ code: 'FORBIDDEN', message: expect.stringContaining('another user') },
      });
    },
  );
});

describe('what a keeper is handed', () => {
  it('is seen in no list of processes, no environment and no file', async () => {
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
