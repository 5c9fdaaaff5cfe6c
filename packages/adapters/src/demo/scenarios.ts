import { execFile } from 'node:child_process';
import type { Conversation } from './conversation.ts';
import {
  diffTexts,
  existingText,
  listFolder,
  readScratch,
  type ScratchFile,
  scratchFile,
  writeScratch,
} from './scratch.ts';

type Scenario = (talk: Conversation) => Promise<void>;

/** Patterns of the scenarios; the first match is played, the tour if none matches. */
const SCENARIOS: ReadonlyArray<{ words: RegExp; play: Scenario }> = [
  { words: /\bfail crash\b/i, play: crash },
  { words: /\bfail garbage\b/i, play: garbage },
  { words: /\bfail tool\b/i, play: brokenTool },
  { words: /\bhang hard\b/i, play: hangHard },
  { words: /\bhang\b/i, play: hang },
  { words: /\blong (\d+)\b/i, play: long },
  { words: /\bslow\b/i, play: slow },
  { words: /\b(remember|earlier|before|last time|did i (say|ask))\b/i, play: recall },
  { words: /\b(question|ask me|choose)\b/i, play: question },
  { words: /\b(report|export|send me|give me)\b/i, play: report },
  { words: /\b(edit|change|append|update)\b/i, play: edit },
  { words: /\b(write|create|make|save)\b/i, play: write },
  { words: /\b(read|list|look)\b|\bshow\b.{0,30}(\bfile|\bfolder|\.\w)/i, play: look },
  { words: /\b(run|execute)\b/i, play: execute },
  { words: /^\s*(hi|hello|hey|good (morning|evening))\b/i, play: greet },
];

export function scenarioFor(prompt: string): Scenario {
  return SCENARIOS.find(({ words }) => words.test(prompt))?.play ?? tour;
}

async function tour(talk: Conversation): Promise<void> {
  const steps = ['Look at this folder', 'Write a greeting, if I may', 'Say what it cost'];
  const plan = (done: number) => {
    const status = (i: number) => (i < done ? 'completed' : i === done ? 'in_progress' : 'pending');
    talk.emit('plan', { entries: steps.map((content, i) => ({ content, status: status(i) })) });
  };
  await talk.think('The user wants to see a run. I look around first, and ask before I write anything.');
  plan(0);
  await talk.say(
    'Hello! I am the demo agent: scripted, built in, without account or model. Here is what a run looks like.\n',
  );
  const names = (await talk.tool('list_folder', { path: '.' }, () => listFolder(talk.session.cwd))) ?? [];
  plan(1);
  await talk.say(`I see ${names.length === 1 ? 'one entry' : `${names.length} entries`} here. `);
  const file = scratchFile(talk.session.cwd, 'hello.txt');
  const written = await writeFile(talk, file, 'Hello from the demo agent.\n');
  plan(2);
  if (written) await talk.say(`Done: ${file.shown} says hello.\n`);
  await talk.say('Try "ask me a question", "what did I say before?" or "fail rate limit" next.\n');
  plan(3);
}

async function greet(talk: Conversation): Promise<void> {
  const turns = talk.session.messages.filter(({ role }) => role === 'user').length;
  if (turns > 1) await talk.say(`Hello again! This is message ${turns} of our session.\n`);
  else await talk.say('Hello! I am the demo agent. Ask me to write a file, or to ask you a question.\n');
  for (const file of talk.files) await talk.say(`Thank you for ${file}.\n`);
}

async function recall(talk: Conversation): Promise<void> {
  const earlier = talk.session.messages.filter(({ role }) => role === 'user').slice(0, -1);
  if (earlier.length === 0) await talk.say('This is the first thing you say to me in this session.\n');
  else await talk.say(`Before this you said: ${earlier.map(({ text }) => `"${text}"`).join(', ')}.\n`);
}

async function question(talk: Conversation): Promise<void> {
  await talk.think('They want to be asked.');
  const answer = await talk.ask('Which greeting do you like best?', ['Hello', 'Ahoy', 'Good day']);
  if (answer === undefined) await talk.say('No answer is an answer too.\n');
  else await talk.say(`${answer} it is!\n`);
}

async function write(talk: Conversation): Promise<void> {
  const file = scratchFile(talk.session.cwd, namedFile(talk.prompt) ?? 'notes.txt');
  const content = /["“]([^"”]+)["”]/.exec(talk.prompt)?.[1] ?? 'A note from the demo agent.';
  await talk.think(`A file is wanted: ${file.shown}.`);
  if (await writeFile(talk, file, `${content}\n`)) await talk.say(`Wrote ${file.shown}.\n`);
}

async function edit(talk: Conversation): Promise<void> {
  const file = scratchFile(talk.session.cwd, namedFile(talk.prompt) ?? 'hello.txt');
  const before = await talk.tool('read_file', { path: file.shown }, () => readScratch(file));
  if (before === undefined) {
    await talk.say(`There is no ${file.shown} yet; ask me to write it first.\n`);
    return;
  }
  if (await writeFile(talk, file, `${before}Another line.\n`)) await talk.say(`Added a line to ${file.shown}.\n`);
}

async function report(talk: Conversation): Promise<void> {
  const file = scratchFile(talk.session.cwd, 'report.md');
  const heard = talk.session.messages.filter(({ role }) => role === 'user').map(({ text }) => `- ${text}`);
  if (!(await writeFile(talk, file, `# What you said\n\n${heard.join('\n')}\n`))) return;
  talk.emit('file.output', { file_name: 'report.md', file_mime_type: 'text/markdown', file_path: file.path });
  await talk.say('Here is your report.\n');
}

async function look(talk: Conversation): Promise<void> {
  const named = namedFile(talk.prompt);
  const file = scratchFile(talk.session.cwd, named ?? '');
  const found = named
    ? await talk.tool('read_file', { path: file.shown }, () => readScratch(file))
    : await talk.tool('list_folder', { path: '.' }, () => listFolder(talk.session.cwd).join('\n'));
  if (found === undefined) await talk.say(`I cannot read ${file.shown}.\n`);
  else await talk.say(`${found.trim() || 'It is empty.'}\n`);
}

async function execute(talk: Conversation): Promise<void> {
  const command = 'node --version';
  const output = await talk.tool('run_command', { command }, async (tool_call_id) => {
    if (talk.approvalMode === 'plan') throw new Error('plan mode: nothing is run');
    await talk.permit({
      tool: 'run_command',
      kind: 'execute',
      description: `Run ${command}`,
      input: { command },
      tool_call_id,
    });
    return askVersion(talk.signal);
  });
  await talk.say(output === undefined ? 'Then I do not run it.\n' : `Node is ${output}.\n`);
}

async function writeFile(talk: Conversation, file: ScratchFile, content: string): Promise<boolean> {
  if (talk.approvalMode === 'plan') {
    await talk.say(`I would write ${file.shown}, but in plan mode I change nothing.\n`);
    return false;
  }
  const before = existingText(file);
  const input = before === undefined ? { content } : { old_string: before, new_string: content };
  const asked = { path: file.shown, ...input };
  const written = await talk.tool('write_file', asked, async (tool_call_id) => {
    const description = `Write ${file.shown}`;
    await talk.permit({ tool: 'write_file', kind: 'edit', description, input: asked, tool_call_id });
    const change = writeScratch(talk.session.cwd, file, content);
    talk.emit('file.change', { path: file.path, change, diff: diffTexts(before ?? '', content), tool_call_id });
    return `${Buffer.byteLength(content)} bytes written`;
  });
  if (written === undefined) await talk.say(`Then I leave ${file.shown} alone.\n`);
  return written !== undefined;
}

async function long(talk: Conversation): Promise<void> {
  const words = Number(/\blong (\d+)\b/i.exec(talk.prompt)?.[1] ?? 0);
  for (let i = 1; i <= words; i += 1) await talk.say(`word-${i}${i % 10 === 0 ? '\n' : ' '}`, 0);
}

/** At the same pace whatever the speed is, to have something to stop. */
async function slow(talk: Conversation): Promise<void> {
  for (let i = 1; i <= 100; i += 1) await talk.say(`${i} `, 100);
}

async function hang(talk: Conversation): Promise<void> {
  await talk.say('I am silent until you stop me.\n');
  for (;;) await talk.pause(60_000);
}

/** Ignores everything except a kill. */
async function hangHard(talk: Conversation): Promise<void> {
  await talk.say('Only a kill ends me.\n');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  setInterval(() => {}, 60_000);
  await new Promise<never>(() => {});
}

async function crash(talk: Conversation): Promise<void> {
  await talk.say('Crashing, as you asked.\n');
  process.stderr.write('demo agent: this crash was ordered\n');
  // All output is flushed before the process exits.
  await new Promise<void>((flushed) => process.stdout.write('', () => flushed()));
  process.exit(3);
}

async function garbage(talk: Conversation): Promise<void> {
  process.stdout.write('this is { no message\n{"type":"from.the.future"}\n');
  await talk.say('That was not a message, and it did no harm.\n');
}

async function brokenTool(talk: Conversation): Promise<void> {
  await talk.tool('read_file', { path: 'nowhere.txt' }, () =>
    readScratch(scratchFile(talk.session.cwd, 'nowhere.txt')),
  );
  await talk.say('The tool failed, so I continue without it.\n');
}

function namedFile(prompt: string): string | undefined {
  return /(?<![\w./\\-])[\w./\\-]*\w\.[a-z]{1,5}\b/i.exec(prompt)?.[0];
}

function askVersion(signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  execFile(process.execPath, ['--version'], { signal }, (error, stdout) =>
    error ? reject(error) : resolve(stdout.trim()),
  );
  return promise;
}
