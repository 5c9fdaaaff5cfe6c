// A real MCP server over stdio with one tool, `secret_word`, that needs only node: the verification passes it to an
// agent as `mcpServers`. JSON-RPC 2.0, one message per line.
import { createInterface } from 'node:readline';

const TOOL = {
  name: 'secret_word',
  description: 'Returns the secret word for a key.',
  inputSchema: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
};

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: protocolVersion ?? '2025-06-18',
    capabilities: { tools: {} },
    serverInfo: { name: 'verify', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [TOOL] }),
  'tools/call': ({ arguments: input }) => ({
    content: [{ type: 'text', text: `the word for ${input?.key} is pineapple` }],
  }),
  'resources/list': () => ({ resources: [] }),
  'prompts/list': () => ({ prompts: [] }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const outcome = answer
    ? { result: answer(params ?? {}) }
    : { error: { code: -32601, message: `no method ${method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
});
