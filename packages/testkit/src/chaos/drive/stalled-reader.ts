import { get, type IncomingMessage } from 'node:http';
import type { ReaderRecord } from '../oracle/evidence.ts';
import type { Address } from './api.ts';

export interface StalledReader extends ReaderRecord {
  /** From now on it reads, starting with everything that arrived before. */
  wake(): void;
  close(): void;
}

/** Requests the events of a session and then does not read, like a browser tab in the background. */
export async function stallReader({ url, token }: Address, sessionId: string, name: string): Promise<StalledReader> {
  const events: { id: number; data: string }[] = [];
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
    get(`${url}/api/v1/sessions/${sessionId}/events?after=-1`, { headers, agent: false }, resolve).on('error', reject);
  });
  response.pause();
  let rest = '';
  return {
    ...{ name, events, connections: 1 },
    wake: () => {
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const frames = (rest + chunk).split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) {
          const id = /^id: ?(\d+)$/m.exec(frame)?.[1];
          const data = /^data: ?(.*)$/m.exec(frame)?.[1];
          if (id !== undefined && data !== undefined) events.push({ id: Number(id), data });
        }
      });
      response.resume();
    },
    close: () => response.destroy(),
  };
}
