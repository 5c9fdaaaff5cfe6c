import type { ConfiguredClient } from '@agent-mux/adapters/client';

/** Ctrl-C ends the CLIs that are being asked something before it ends amux. What is returned tells whether it came. */
export function endOnInterrupt(client: ConfiguredClient): () => boolean {
  let hasCome = false;
  const end = () => {
    hasCome = true;
    void client.close();
  };
  process.once('SIGINT', end).once('SIGTERM', end);
  return () => hasCome;
}
