import type { Environment } from '../environment/environment.ts';
import { type ExitCode, exitCode } from '../errors/exit-code.ts';
import { paintFor } from '../terminal/paint.ts';
import { progressOn } from '../terminal/progress.ts';
import { command } from './command.ts';
import { placeholderFlags, placeholdersOf } from './validate/placeholders.ts';
import { validationJson, validationText } from './validate/tell.ts';
import { type ValidationPlan, validate } from './validate/validation.ts';

/** `vp validate`: tells what is wrong with scenario files, as compilers do. */
export const validateCommand = command({
  name: 'validate',
  summary: 'check scenario files and tell every problem with its place and cure',
  positionals: [{ name: 'file or folder', describe: 'scenarios, and folders of *.md', required: true, many: true }],
  flags: {
    ...placeholderFlags,
    watch: { type: 'boolean', default: false, describe: 'validate again whenever a file changes, until Ctrl-C' },
  },
  examples: [
    ['vp validate scenarios', 'check every scenario below a folder'],
    ['vp validate scenarios/document.md --watch', 'check while you write'],
    ['vp validate scenarios --product-dir ../product', 'know which variables the config opens'],
    ['vp validate scenarios --json', 'one JSON document for programs'],
  ],
  notes:
    'Of a folder its folder `scenarios` is taken where it has one. In folders only *.md with the title of a scenario are ' +
    'read; node_modules and names that begin with a dot are left out.\n' +
    'Exit code 0: no errors (there may be warnings). 2: errors.',
  async run({ flags, words, json, environment }) {
    const { cwd } = environment;
    const tell = json ? tellJson(environment, flags.watch) : tellText(environment, flags.watch);
    const once = async (): Promise<ExitCode> =>
      tell({ paths: words, cwd, placeholders: await placeholdersOf(flags, cwd) });
    return flags.watch ? watchWhile(once, words, environment) : once();
  },
});

type Tell = (plan: ValidationPlan) => Promise<ExitCode>;

function tellJson({ streams, clock }: Environment, lines: boolean): Tell {
  return async (plan) => {
    const progress = progressOn(streams.stderr, clock);
    const validation = await validate(plan, progress, clock).finally(() => progress.end());
    streams.stdout.write(`${JSON.stringify(validationJson(validation), null, lines ? undefined : 2)}\n`);
    return validation.errors === 0 ? exitCode.done : exitCode.invalidInput;
  };
}

const clearScreen = '\u001b[2J\u001b[3J\u001b[H';

function tellText({ streams, clock, variables }: Environment, again: boolean): Tell {
  const paint = paintFor(streams.stdout, variables);
  const clear = again && streams.stdout.isTTY === true ? clearScreen : '';
  return async (plan) => {
    const progress = progressOn(streams.stderr, clock);
    const validation = await validate(plan, progress, clock).finally(() => progress.end());
    streams.stdout.write(clear + validationText(validation, paint));
    return validation.errors === 0 ? exitCode.done : exitCode.invalidInput;
  };
}

/** Again after every change, one at a time, until interrupted. What is thrown ends it. */
async function watchWhile(
  once: () => Promise<ExitCode>,
  paths: readonly string[],
  { cwd, clock, onInterrupt }: Environment,
): Promise<ExitCode> {
  const { watchPaths } = await import('./validate/watch.ts');
  const { promise, resolve, reject } = Promise.withResolvers<ExitCode>();
  let last: Promise<unknown> = Promise.resolve();
  const next = (): void => {
    last = last.then(once);
    last.catch(reject);
  };
  const stopWatching = watchPaths(paths, cwd, clock, next);
  const stopListening = onInterrupt(() => resolve(exitCode.interrupted));
  next();
  return promise.finally(() => {
    stopWatching();
    stopListening();
  });
}
