let segmenter: Intl.Segmenter | undefined;

/** Splits text into graphemes. The segmenter is created on first use: that takes longer than many commands. */
export function charactersOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}
