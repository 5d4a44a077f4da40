/** What the words behind `vp run` name. */
import { exists } from '../scenario-files.ts';

/** Paths of files and folders, and IDs. */
export type Selection = {
  readonly paths: readonly string[];
  readonly ids: readonly string[];
  readonly tags: readonly string[];
};

/** A word is a path when it has a slash, ends with `.md`, or names something that is there; else it is an ID. */
export function selectionOf(words: readonly string[], tags: readonly string[], cwd: string): Selection {
  const isPath = (word: string): boolean => /[/\\]|\.md$/i.test(word) || exists(word, cwd);
  const unique = [...new Set(words)];
  return { paths: unique.filter(isPath), ids: unique.filter((word) => !isPath(word)), tags };
}
