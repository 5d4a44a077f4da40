/** Whether a file declares a test with a title, which pages name. */
import { existsSync, readFileSync } from 'node:fs';

export function declaresTest(file: string, title: string): boolean {
  if (!existsSync(file)) return false;
  const text = readFileSync(file, 'utf8');
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote},`));
}
