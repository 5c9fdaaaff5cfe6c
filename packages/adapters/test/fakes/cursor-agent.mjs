// Behaves like Cursor's CLI is documented: over ACP, or as stream-json.
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const say = (message) => console.log(JSON.stringify(message));
const session_id = 'c6b62c6f-7ead-4fd6-9922-e952131177ff';
if (process.argv.includes('--version')) console.log('2026.10.22-fake');
else if (process.argv[2] === 'acp') serveAcp();
else await print();

async function print() {
  const prompt = (await text(process.stdin)).trim();
  const applies = process.argv.includes('--force');
  const call = { type: 'tool_call', call_id: 'call-1', session_id };
  const args = { path: 'summary.txt', fileText: prompt };
  const result = applies
    ? { success: { path: 'summary.txt', linesCreated: 1 } }
    : { rejected: { reason: 'read-only' } };
  say({ type: 'system', subtype: 'init', session_id, model: 'Auto', cwd: process.cwd(), permissionMode: 'default' });
  say({ type: 'user', message: { role: 'user', content: [{ type: 'text', text: prompt }] }, session_id });
  say({ type: 'thinking', subtype: 'delta', text: 'Let me see.', session_id });
  say({ type: 'thinking', subtype: 'completed', session_id });
  say({ ...call, subtype: 'started', tool_call: { writeToolCall: { args } } });
  say({ ...call, subtype: 'completed', tool_call: { writeToolCall: { args, result } } });
  say({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text: `You said: ${prompt}` }] },
    session_id,
  });
  say({
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 5,
    result: `You said: ${prompt}`,
    session_id,
  });
}

function serveAcp() {
  let loggedIn = false;
  let prompting;
  const reply = (id, result) => say({ jsonrpc: '2.0', id, result });
  const update = (body) =>
    say({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: session_id, update: body } });
  const chunk = (words) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } });
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params, result } = JSON.parse(line);
    if (method === 'initialize') {
      const authMethods = [{ id: 'cursor_login', name: 'Cursor Login' }];
      return reply(id, { protocolVersion: 1, agentCapabilities: { loadSession: true }, authMethods });
    }
    if (method === 'authenticate') {
      loggedIn = params.methodId === 'cursor_login';
      return reply(id, {});
    }
    if (method === 'session/new' && !loggedIn) {
      return say({ jsonrpc: '2.0', id, error: { code: -32000, message: 'Authentication required' } });
    }
    if (method === 'session/new') return reply(id, { sessionId: session_id });
    if (method === 'session/load' || method === 'session/set_mode') return reply(id, {});
    if (method === 'session/prompt') {
      prompting = id;
      const toolCall = {
        toolCallId: 'call-1',
        title: 'touch made',
        kind: 'execute',
        status: 'pending',
        rawInput: { command: 'touch made' },
      };
      const options = [
        { optionId: 'allow-once', name: 'Allow', kind: 'allow_once' },
        { optionId: 'reject-once', name: 'Reject', kind: 'reject_once' },
      ];
      update({ sessionUpdate: 'tool_call', ...toolCall });
      return say({
        jsonrpc: '2.0',
        id: 0,
        method: 'session/request_permission',
        params: { sessionId: session_id, toolCall, options },
      });
    }
    if (id === 0 && result) {
      const allowed = result.outcome.optionId === 'allow-once';
      update({ sessionUpdate: 'tool_call_update', toolCallId: 'call-1', status: allowed ? 'completed' : 'failed' });
      chunk(allowed ? 'It is made.' : 'It is not made.');
      reply(prompting, { stopReason: 'end_turn' });
    }
  });
}
