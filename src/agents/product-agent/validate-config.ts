import { Type } from '@sinclair/typebox';
import { problemJson, problemText } from '../../project/problem.ts';
import { counted, fitting } from '../answer/bounds.ts';
import { linesOf } from '../answer/words.ts';
import { readOnly, tool } from '../tool.ts';

const mostData = 9000;

/** Checks a config as `vp validate-config` does. */
export const validateConfig = tool({
  name: 'product__validate_config',
  description:
    'Check platform-config.yaml: the given text, or the executor’s own file. Every problem with line and cure, and the names that .env must hold; values are never shown.',
  input: Type.Object({ text: Type.Optional(Type.String({ maxLength: 200_000 })) }),
  annotations: readOnly,
  async handle({ text: given }, { checkConfig }) {
    const { valid, problems, names } = await checkConfig(given);
    const told = fitting(problems.slice(0, 40).map(problemJson), mostData);
    const missing = names.filter(({ present }) => !present).map(({ name }) => name);
    const listed = names.slice(0, 200);
    const text = linesOf(
      `${valid ? 'Valid' : 'Not valid'}: ${counted(problems.length, 'problem')}`,
      ...problems.slice(0, told.length).map(problemText),
      told.length < problems.length && `${problems.length - told.length} more; mend these first.`,
      names.length > 0 && `.env must hold: ${listed.map(({ name }) => name).join(', ')}`,
      missing.length > 0 && `Missing there: ${missing.slice(0, 200).join(', ')}`,
      given === undefined && valid && 'A change of the file takes effect when the executor is restarted.',
    );
    return { text, data: { valid, problems: told, left_out: problems.length - told.length, env_names: listed } };
  },
});
