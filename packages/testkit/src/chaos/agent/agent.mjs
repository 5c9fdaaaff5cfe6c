/**
 * An agent that is cheap to start and real in all that matters here: a process that keeps its sessions in files, asks the scripted
 * model over HTTP, and runs commands when it may. It speaks the live protocol of the fake agent: JSON lines, events as they are.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const folder = join(process.env.HOME ?? '.', '.scripted-agent');
const waiting = new Map();
let session = { id: '', messages: [] };
let turns = Promise.resolve();

createInterface({ input: process.stdin })
  .on('line', (line) => receive(JSON.parse(line)))
  .on('close', () => process.exit(0));

function receive(message) {
  if (message.hello) open(message.hello.session);
  else if (message.turn !== undefined) turns = turns.then(() => takeTurn(message.turn)).catch(fail);
  else if (message.approve) waiting.get(message.approve)?.(true);
  else if (message.deny) waiting.get(message.deny)?.(false);
  else if (message.interrupt) process.exit(0);
}

function open(id) {
  session = id ? JSON.parse(readFileSync(pathOf(id), 'utf8')) : { id: randomUUID(), messages: [] };
  save();
  tell({ type: 'session_start', sessionId: session.id, model: 'scripted-model' });
}

async function takeTurn(text) {
  session.messages.push({ role: 'user', content: text });
  save();
  for (;;) {
    const { said, call } = await ask();
    session.messages.push({ role: 'assistant', content: said, ...(call ? { tool_calls: [call] } : {}) });
    save();
    if (!call) break;
    const content = await runCommand(call);
    session.messages.push({ role: 'tool', tool_call_id: call.id, content });
    save();
  }
  tell({ type: 'turn_end', status: 'completed' });
}

/** One request; its words are told as they come. */
async function ask() {
  const tool = { type: 'function', function: { name: 'shell', parameters: { type: 'object' } } };
  const response = await fetch(`${process.env.SCRIPTED_MODEL_URL}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'scripted-model', stream: true, messages: session.messages, tools: [tool] }),
  });
  if (!response.ok) throw new Error(`the model said ${response.status}`);
  let said = '';
  let call;
  for await (const data of frames(response.body)) {
    const delta = data.choices?.[0]?.delta ?? {};
    if (delta.content) {
      said += delta.content;
      tell({ type: 'text_delta', delta: delta.content });
    }
    for (const part of delta.tool_calls ?? []) {
      call ??= { id: part.id, type: 'function', function: { name: part.function.name, arguments: '' } };
      call.function.arguments += part.function?.arguments ?? '';
    }
  }
  return { said, call };
}

async function* frames(body) {
  let rest = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: {')) yield JSON.parse(line.slice(6));
  }
}

async function runCommand({ id, function: { name, arguments: given } }) {
  const input = JSON.parse(given);
  const about = { toolCallId: id, toolName: name };
  tell({ type: 'tool_call_start', ...about, kind: 'execute' });
  tell({ type: 'tool_call_ready', ...about, input, kind: 'execute' });
  const options = [
    { id: 'allow', label: 'Allow', kind: 'allow_once' },
    { id: 'deny', label: 'Deny', kind: 'deny_once' },
  ];
  const isAllowed = new Promise((resolve) => waiting.set(`ask-${id}`, resolve));
  tell({
    type: 'approval_request',
    requestId: `ask-${id}`,
    title: input.command,
    input,
    ...about,
    kind: 'execute',
    options,
  });
  if (!(await isAllowed)) {
    tell({ type: 'tool_error', ...about, error: 'not allowed', denied: true, kind: 'execute' });
    return 'not allowed';
  }
  const output = await new Promise((resolve) =>
    execFile('sh', ['-c', input.command], (error, stdout) => resolve(error?.message ?? stdout)),
  );
  tell({ type: 'tool_result', ...about, output, kind: 'execute' });
  return output;
}

function fail(error) {
  tell({ type: 'error', code: 'AGENT_ERROR', message: String(error), recoverable: false });
  tell({ type: 'turn_end', status: 'failed' });
}

function tell(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

function pathOf(id) {
  return join(folder, `${id}.json`);
}

/** Whole or not at all: it may be killed in the middle. */
function save() {
  mkdirSync(folder, { recursive: true });
  const fresh = `${pathOf(session.id)}.${process.pid}`;
  writeFileSync(fresh, JSON.stringify(session));
  renameSync(fresh, pathOf(session.id));
}
