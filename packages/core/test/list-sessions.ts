/** A process that lists the sessions of a home and prints how many it found. */
import { createClient } from '../src/index.ts';
import { filesOf, StoringAdapter } from './session-agents.ts';

const env = { HOME: process.argv[2] };
const client = createClient({ adapters: [new StoringAdapter('acme', filesOf('acme'))], env, runIndex: false });
const { total, problems } = await client.sessions.list({ limit: 1 });
process.stdout.write(JSON.stringify({ total, problems }));
