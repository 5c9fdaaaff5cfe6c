/** Events per page. */
export const PAGE = 200;

/** The `after` of the adjacent pages, or null if there is none. The last page has the newest event. */
export function pagesAround(
  after: number,
  lastSeq: number,
): { earlier: number | null; later: number | null; last: number } {
  return {
    earlier: after < 0 ? null : Math.max(-1, after - PAGE),
    later: after + PAGE >= lastSeq ? null : after + PAGE,
    last: Math.max(-1, lastSeq - PAGE),
  };
}
