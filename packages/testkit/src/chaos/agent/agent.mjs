/**
 * An agent that starts fast but is real where it matters: a process that stores its sessions in files, asks the
 * scripted model over HTTP, and runs commands when allowed. It speaks the live protocol of the fake agent: JSON lines,
 * events unchanged.
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
  emit({ type: 'session_start', sessionId: session.id, model: 'scripted-model' });
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
  emit({ type: 'turn_end', status: 'completed' });
}

/** One request; its text is emitted as it arrives. */
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
      emit({ type: 'text_delta', delta: delta.content });
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
  emit({ type: 'tool_call_start', ...about, kind: 'execute' });
  emit({ type: 'tool_call_ready', ...about, input, kind: 'execute' });
  const options = [
    { id: 'allow', label: 'Allow', kind: 'allow_once' },
    { id: 'deny', label: 'Deny', kind: 'deny_once' },
  ];
  const isAllowed = new Promise((resolve) => waiting.set(`ask-${id}`, resolve));
  emit({
    type: 'approval_request',
    requestId: `ask-${id}`,
    title: input.command,
    input,
    ...about,
    kind: 'execute',
    options,
  });
  if (!(await isAllowed)) {
    emit({ type: 'tool_error', ...about, error: 'not allowed', denied: true, kind: 'execute' });
    return 'not allowed';
  }
  const output = await new Promise((resolve) =>
    execFile('sh', ['-c', input.command], (error, stdout) => resolve(error?.message ?? stdout)),
  );
  emit({ type: 'tool_result', ...about, output, kind: 'execute' });
  return output;
}

function fail(error) {
  emit({ type: 'error', code: 'AGENT_ERROR', message: String(error), recoverable: false });
  emit({ type: 'turn_end', status: 'failed' });
}

function emit(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

function pathOf(id) {
  return join(folder, `${id}.json`);
}

/** Atomic: it may be killed in the middle. */
function save() {
  mkdirSync(folder, { recursive: true });
  const fresh = `${pathOf(session.id)}.${process.pid}`;
  writeFileSync(fresh, JSON.stringify(session));
  renameSync(fresh, pathOf(session.id));
}
