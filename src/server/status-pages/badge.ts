/** A badge for READMEs: a label and a message, as wide as their texts are in Verdana of 11 pixels. */
import type { PublicStatus } from '../../contract/status-pages-api.ts';
import { markup } from '../../report/markup.ts';

/** Advance widths of Verdana in 2048ths of its size, from the space to the tilde. */
const advances: readonly number[] = [
  ...[720, 806, 940, 1676, 1302, 2204, 1488, 550, 930, 930, 1302, 1676, 745, 930, 745, 930],
  ...[1302, 1302, 1302, 1302, 1302, 1302, 1302, 1302, 1302, 1302, 930, 930, 1676, 1676, 1676, 1117],
  ...[2048, 1400, 1404, 1430, 1578, 1295, 1177, 1588, 1539, 862, 931, 1419, 1140, 1726, 1532, 1612],
  ...[1235, 1612, 1424, 1400, 1262, 1499, 1400, 2025, 1403, 1260, 1403, 930, 930, 930, 1676, 1302],
  ...[1302, 1230, 1276, 1067, 1276, 1220, 720, 1276, 1296, 562, 705, 1212, 562, 1992, 1296, 1243],
  ...[1276, 1276, 874, 1067, 807, 1296, 1212, 1676, 1212, 1212, 1076, 1300, 930, 1300, 1676],
];
const unitsPerSize = 2048;
const fontSizePx = 11;
/** From here on most characters are as wide as high: Chinese, Japanese, Korean, emoji. */
const firstWideCodePoint = 0x2e80;
const otherAdvance = 1400;
const paddingPx = 6;
const maxLabelLength = 40;

type BadgeState = PublicStatus['state'] | 'unknown';

/** White text on them has a contrast of at least 5.3. */
const colours: Readonly<Record<BadgeState, string>> = {
  passing: '#1a7f37',
  failing: '#c2261c',
  incomplete: '#8a5a00',
  stale: '#57606a',
  no_runs: '#57606a',
  unknown: '#57606a',
};
const labelColour = '#3d444d';

export function measureText(text: string): number {
  const units = [...text].reduce((sum, character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return sum + (advances[codePoint - 0x20] ?? (codePoint >= firstWideCodePoint ? unitsPerSize : otherAdvance));
  }, 0);
  return Math.round((units * fontSizePx) / unitsPerSize);
}

function shorten(label: string): string {
  const characters = [...label];
  return characters.length <= maxLabelLength ? label : `${characters.slice(0, maxLabelLength - 1).join('')}…`;
}

export type Badge = { readonly label: string; readonly message: string; readonly state: BadgeState };

export const unknownBadge: Badge = { label: 'status', message: 'unknown', state: 'unknown' };

/** `textLength` holds also where the reader has another font. */
export function renderBadge({ label: fullLabel, message, state }: Badge): string {
  const label = shorten(fullLabel);
  const [labelPx, messagePx] = [measureText(label), measureText(message)];
  const [leftPx, rightPx] = [labelPx + 2 * paddingPx, messagePx + 2 * paddingPx];
  const title = `${fullLabel}: ${message}`;
  return markup`<svg xmlns="http://www.w3.org/2000/svg" width="${leftPx + rightPx}" height="20" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="r"><rect width="${leftPx + rightPx}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="${leftPx}" height="20" fill="${labelColour}"/><rect x="${leftPx}" width="${rightPx}" height="20" fill="${colours[state]}"/></g>
<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="${fontSizePx}">
<text x="${paddingPx}" y="14" textLength="${labelPx}" lengthAdjust="spacingAndGlyphs">${label}</text>
<text x="${leftPx + paddingPx}" y="14" textLength="${messagePx}" lengthAdjust="spacingAndGlyphs">${message}</text>
</g>
</svg>
`.text;
}
