/** `*` matches any characters, everything else itself. Takes at most length × length steps. */
export function matchesTool(pattern: string, name: string): boolean {
  let [nameIndex, patternIndex, starIndex, retryIndex] = [0, 0, -1, 0];
  while (nameIndex < name.length) {
    if (pattern[patternIndex] === '*') {
      starIndex = patternIndex;
      patternIndex += 1;
      retryIndex = nameIndex;
    } else if (pattern[patternIndex] === name[nameIndex]) {
      nameIndex += 1;
      patternIndex += 1;
    } else if (starIndex >= 0) {
      retryIndex += 1;
      nameIndex = retryIndex;
      patternIndex = starIndex + 1;
    } else return false;
  }
  while (pattern[patternIndex] === '*') patternIndex += 1;
  return patternIndex === pattern.length;
}
