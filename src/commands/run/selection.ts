import { pathExists } from '../scenarios/scenario-files.ts';

export type Selection = {
  readonly paths: readonly string[];
  readonly ids: readonly string[];
  readonly tags: readonly string[];
};

/** An argument is a path if it has a slash, ends with `.md`, or names an existing file or folder; else it is an ID. */
export function parseSelection(args: readonly string[], tags: readonly string[], cwd: string): Selection {
  const isPath = (arg: string): boolean => /[/\\]|\.md$/i.test(arg) || pathExists(arg, cwd);
  const unique = [...new Set(args)];
  return { paths: unique.filter(isPath), ids: unique.filter((arg) => !isPath(arg)), tags };
}
