/**
 * Texts of providers and CLIs for a rate limit: by status, by kind of limit, Amazon by `throttling` and `Too many
 * tokens, please wait`, and Google by what is exhausted (`exhausted your capacity on this model`, `exhausted your daily
 * quota`, `RESOURCE_EXHAUSTED`, `No capacity available for model`). One list, as most agents use the same providers.
 */
export const LIMIT_PATTERNS =
  /\b429\b|rate.?limit|too many requests|too many tokens, please wait|throttl(?:ed|ing)|slow down|quota|(?:usage|session|hour|daily|weekly|monthly) limit|resource.{0,10}exhausted|exhausted your|capacity.{0,4}(?:exceeded|exhausted)|no capacity available/i;
