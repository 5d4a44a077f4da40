import { homedir } from 'node:os';

/** The number of the user who runs the process; undefined where users have none (Windows). */
export const userId: number | undefined = process.getuid?.();

/** The user's home; `/` for a user whom the machine does not know (a bare number in a container), as container engines do. */
export function findHomeFolder(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}
