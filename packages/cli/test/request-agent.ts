import { type TestHome, userConfig, writeConfig } from './amux.ts';

/** Sends these messages of the external protocol, waits for each answer and prints it. */
const ASKING = `
const [messages] = JSON.parse(process.argv[1]);
let session_id, left = [...messages];
const say = (m) => process.stdout.write(JSON.stringify({ ...m, session_id }) + '\\n');
const next = () => {
  while (left.length > 0) {
    const m = left.shift();
    say(m);
    if (m.request_id) return;
  }
  say({ type: 'turn.complete' });
};
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const m = JSON.parse(line);
  session_id = m.session_id ?? session_id;
  if (m.type === 'user.input') next();
  if (m.type === 'permission.response') { say({ type: 'output', content: 'answer: ' + m.approved + '. ' }); next(); }
  if (m.type === 'question.answer') { say({ type: 'output', content: 'answered. ' }); next(); }
}).on('close', () => process.exit(0));
`;

/** Adds the agent `asks` to the user's configuration. */
export function addRequestAgent(testHome: TestHome, messages: readonly Record<string, unknown>[]): void {
  writeConfig(userConfig(testHome), {
    agents: [
      {
        id: 'asks',
        profile: 'external',
        external: { command: process.execPath, args: ['-e', ASKING, JSON.stringify([messages])] },
      },
    ],
  });
}
