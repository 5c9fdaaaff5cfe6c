/** Does it when the signal is aborted, at once where it is, and not after it is over. */
export function whenAborted(signal: AbortSignal | undefined, over: AbortSignal, work: () => void): void {
  if (signal?.aborted) work();
  else signal?.addEventListener('abort', work, { once: true, signal: over });
}

/** In words, where the one who aborted said some. */
export function reasonOf(signal: AbortSignal | undefined): string | undefined {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : undefined;
}
