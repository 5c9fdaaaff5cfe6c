import type { ConfiguredClient } from '@agent-mux/adapters/client';

/** On Ctrl-C, stops the CLIs being queried before amux exits. The returned function reports whether that happened. */
export function endOnInterrupt(client: ConfiguredClient): () => boolean {
  let hasCome = false;
  const end = () => {
    hasCome = true;
    void client.close();
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  return () => hasCome;
}
