/** Corrections of checks of lists, headers and redirects: what people write instead of the form. */

/** The text becomes the check; `$1` and so on are groups of the pattern. */
const rewrites: readonly (readonly [RegExp, string])[] = [
  [
    /^body (?:has )?(\S+?)(?:\.| has )?\s*(?:length|size|count)\s*(?:is|of|equals|:|={1,3})?\s*(\d{1,9})$/,
    'body $1 length = $2',
  ],
  [/^body (?:has )?(\S+?)(?:\.| has | )\s*(?:length|size)\s*([<>]=?|!=)\s*(\d{1,9})$/, 'body $1 length $2 $3'],
  [/^body has (\d{1,9}) (\S+)$/, 'body $2 length = $1'],
  [/^body (?:lacks|misses|does not have|doesn't have|not has|has not|is without|without) (\S+)$/, 'body has no $1'],
  [/^body (?:has )?(?:all|each|every)(?: of)? (.+)$/, 'body every $1'],
  [/^body (?:has )?(?:any|some|one)(?: of)? (.+)$/, 'body some $1'],
  [/^body (\S+) (?:is )?(?:sorted|ordered) by (\S+)( desc| asc)?$/, 'body sorted by $1.$2$3'],
  [/^body (?:is )?(?:sorted|ordered) by (\S+) descending$/, 'body sorted by $1 desc'],
  [/^body (\S+) (?:is |are )?(?:unique|distinct)$/, 'body unique $1'],
  [/^(?:response )?(header|cookie) (?:has )?(\S+?):? (?:exists?|present|is present)$/, '$1 $2'],
  [/^(?:response )?(header|cookie) has (\S+)$/, '$1 $2'],
  [/^(?:response )?(header|cookie) has (\S+) (.+)$/, '$1 $2 $3'],
  [/^no (header|cookie) (\S+)$/, '$1 $2 absent'],
  [/^(?:response )?(header|cookie) (\S+) (?:is |)(?:missing|not present)$/, '$1 $2 absent'],
  [/^(?:response )?(header|cookie) ([^\s:]+)(?: (?:is|equal|==)|:) (.+)$/, '$1 $2 equals $3'],
  [/^(?:response )?(header|cookie) (\S+) (?:contains?|includes?) (.+)$/, '$1 $2 containing $3'],
  [/^(?:response )?(header|cookie) (\S+) (?:match|matches) (.+)$/, '$1 $2 matching $3'],
  [/^redirects? (?:to )?(\S+)$/, 'redirect to $1'],
  [/^(?:response )?(?:time|duration|takes)\s*(?:is |)(?:below|under|less than|<)\s*(\d+\s*m?s)$/, 'duration < $1'],
];

/** Undefined where nothing is similar. */
export function correctResponseCheck(text: string): string | undefined {
  for (const [pattern, replacement] of rewrites) {
    if (!pattern.test(text)) continue;
    const corrected = text.replace(pattern, replacement);
    if (corrected !== text) return corrected;
  }
  return undefined;
}
