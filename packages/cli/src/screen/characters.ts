let segmenter: Intl.Segmenter | undefined;

/** What a person calls characters: with their accents, an emoji with all that joins it. The tables for it are loaded with the first use: that takes longer than many a command. */
export function charactersOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}
