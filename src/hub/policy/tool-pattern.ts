/** `*` stands for any characters, everything else for itself. Takes at most length × length steps. */
export function matchesTool(pattern: string, name: string): boolean {
  let [at, from, star, tried] = [0, 0, -1, 0];
  while (at < name.length) {
    if (pattern[from] === '*') {
      star = from;
      from += 1;
      tried = at;
    } else if (pattern[from] === name[at]) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      tried += 1;
      at = tried;
      from = star + 1;
    } else return false;
  }
  while (pattern[from] === '*') from += 1;
  return from === pattern.length;
}
