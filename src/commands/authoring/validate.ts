import { command } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { type ExitCode, exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { createProgress } from '../../terminal/progress.ts';
import { findTestFolder } from '../run/select-local.ts';
import { placeholderFlags, readPlaceholders } from './placeholders.ts';
import { type ValidationPlan, validateScenarios } from './validation.ts';
import { formatValidation, toValidationJson } from './validation-output.ts';

/** `vp validate`: reports errors in scenario files in the style of compilers. */
export const validateCommand = command({
  name: 'validate',
  summary: 'check scenario files, and list all problems with their fixes',
  positionals: [
    {
      name: 'file or folder',
      describe: 'scenarios, and folders of *.md (default: ./scenarios or ./test/scenarios)',
      required: false,
      many: true,
    },
  ],
  flags: {
    ...placeholderFlags,
    watch: { type: 'boolean', default: false, describe: 'validate again whenever a file changes, until Ctrl-C' },
  },
  examples: [
    ['vp validate', 'check every scenario of the project'],
    ['vp validate checks', 'check every scenario in a folder'],
    ['vp validate scenarios/document.md --watch', 'check while you write'],
    ['vp validate scenarios --product-dir ../product', 'with the variables that the config allows'],
    ['vp validate scenarios --json', 'as one JSON document'],
  ],
  notes:
    'If a folder has a subfolder `scenarios`, only that is read. In folders, only *.md files with the title of a scenario are ' +
    'read; node_modules and names that start with a dot are skipped.\n' +
    'Exit code 0: no errors (there may be warnings). 2: errors.',
  async run({ flags, args, json, environment }) {
    const { cwd } = environment;
    const paths = args.length > 0 ? args : [findTestFolder(undefined, cwd)];
    const validateAndPrint = json
      ? createJsonPrinter(environment, flags.watch)
      : createTextPrinter(environment, flags.watch);
    const runOnce = async (): Promise<ExitCode> =>
      validateAndPrint({ paths, cwd, placeholders: await readPlaceholders(flags, cwd) });
    return flags.watch ? watchAndRepeat(runOnce, paths, environment) : runOnce();
  },
});

type ValidateAndPrint = (plan: ValidationPlan) => Promise<ExitCode>;

function createJsonPrinter({ streams, clock }: Environment, isOneLine: boolean): ValidateAndPrint {
  return async (plan) => {
    const progress = createProgress(streams.stderr, clock);
    const validation = await validateScenarios(plan, progress, clock).finally(() => progress.stop());
    streams.stdout.write(`${JSON.stringify(toValidationJson(validation), null, isOneLine ? undefined : 2)}\n`);
    return validation.errors === 0 ? exitCode.done : exitCode.invalidInput;
  };
}

const clearScreen = '\u001b[2J\u001b[3J\u001b[H';

function createTextPrinter({ streams, clock, variables }: Environment, isRepeated: boolean): ValidateAndPrint {
  const paint = paintFor(streams.stdout, variables);
  const clear = isRepeated && streams.stdout.isTTY === true ? clearScreen : '';
  return async (plan) => {
    const progress = createProgress(streams.stderr, clock);
    const validation = await validateScenarios(plan, progress, clock).finally(() => progress.stop());
    streams.stdout.write(clear + formatValidation(validation, paint));
    return validation.errors === 0 ? exitCode.done : exitCode.invalidInput;
  };
}

/** Repeats after every change, one at a time, until interrupted. Rejects with the first error. */
async function watchAndRepeat(
  runOnce: () => Promise<ExitCode>,
  paths: readonly string[],
  { cwd, clock, onInterrupt }: Environment,
): Promise<ExitCode> {
  const { watchPaths } = await import('./watch-files.ts');
  const { promise, resolve, reject } = Promise.withResolvers<ExitCode>();
  let last: Promise<unknown> = Promise.resolve();
  const next = (): void => {
    last = last.then(runOnce);
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
