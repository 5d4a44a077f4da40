import t from 'tap';
import { command } from '../../src/command-line/command.ts';
import { parseLine } from '../../src/command-line/parse-line.ts';
import { VpError } from '../../src/errors/vp-error.ts';

const example = command({
  name: 'example',
  summary: 'an example',
  positionals: [
    { name: 'first', describe: 'one', required: true },
    { name: 'rest', describe: 'more', required: false, many: true },
  ],
  flags: {
    instance: { type: 'string', describe: '', placeholder: '<id>', alias: 'i', variable: 'VP_INSTANCE' },
    tag: { type: 'strings', describe: '', variable: 'VP_TAGS' },
    jobs: { type: 'number', describe: '', default: 1, variable: 'VP_JOBS' },
    count: { type: 'number', describe: '', default: 90, integerRange: [1, 100], variable: 'VP_COUNT' },
    colour: { type: 'boolean', describe: '', default: true, variable: 'VP_COLOUR' },
    local: { type: 'boolean', describe: '' },
    format: { type: 'string', describe: '', choices: ['text', 'json'], default: 'text', variable: 'VP_FORMAT' },
    secret: { type: 'boolean', describe: '', hidden: true },
  },
  examples: [['vp example a', 'does it']],
  run: async () => 0,
});

const parse = (line: string, variables = {}) => parseLine(example, line.split(' ').filter(Boolean), variables);

function refusal(line: string | readonly string[], variables: Record<string, string> = {}): VpError {
  try {
    parseLine(example, typeof line === 'string' ? line.split(' ').filter(Boolean) : line, variables);
  } catch (error) {
    if (error instanceof VpError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

t.test('without flags the defaults apply, and flags without one are undefined or empty', async (t) => {
  const line = parse('a');
  t.match(line.flags, { tag: [], jobs: 1, colour: true, local: undefined, format: 'text', instance: undefined });
  t.same(line.args, ['a']);
  t.equal(line.json, false);
  t.equal(line.logLevel, 'info');
});

t.test('flags may precede, separate and follow arguments, with = or a space', async (t) => {
  const line = parse('--instance shop a --jobs=4 b --local c');
  t.match(line.flags, { instance: 'shop', jobs: 4, local: true });
  t.same(line.args, ['a', 'b', 'c']);
});

t.test('short flags take values with or without a space', async (t) => {
  t.equal(parse('a -i shop').flags.instance, 'shop');
  t.equal(parse('a -ishop').flags.instance, 'shop');
});

t.test('the last of a repeated flag counts, lists collect all', async (t) => {
  t.equal(parse('a --jobs 2 --jobs 3').flags.jobs, 3);
  t.same(parse('a --tag http --tag slow').flags.tag, ['http', 'slow']);
});

t.test('booleans can be negated', async (t) => {
  t.equal(parse('a --no-colour').flags.colour, false);
  t.equal(parse('a --no-colour --colour').flags.colour, true);
  t.equal(parse('a --no-json').json, false);
  t.equal(parse('a', { VP_JSON: '1' }).json, true);
  t.equal(parse('a --no-json', { VP_JSON: '1' }).json, false);
});

t.test('after -- everything is an argument', async (t) => {
  t.same(parse('a -- --jobs -x --').args, ['a', '--jobs', '-x', '--']);
});

t.test('a single dash is an argument and a value', async (t) => {
  t.same(parse('-').args, ['-']);
  t.equal(parse('a -i -').flags.instance, '-');
});

t.test('variables replace missing flags, and flags take precedence', async (t) => {
  const variables = { VP_INSTANCE: 'shop', VP_JOBS: '8', VP_COLOUR: 'no', VP_TAGS: 'http, slow', VP_FORMAT: '' };
  t.match(parse('a', variables).flags, {
    instance: 'shop',
    jobs: 8,
    colour: false,
    tag: ['http', 'slow'],
    format: 'text',
  });
  t.equal(parse('a --jobs 2 -i other', variables).flags.jobs, 2);
  t.same(parse('a --tag one', variables).flags.tag, ['one']);
});

t.test('numbers may be negative or have a fraction', async (t) => {
  t.equal(parse('a --jobs -3').flags.jobs, -3);
  t.equal(parse('a --jobs=0.5').flags.jobs, 0.5);
});

t.test('what is not a number is refused, from the line and from the variable', async (t) => {
  for (const text of ['four', '4x', '0x10', '1e3', 'NaN', 'Infinity', '4,5']) {
    const error = refusal(`a --jobs=${text}`);
    t.equal(error.code, 'FLAG_INVALID', text);
    t.match(error.message, `--jobs must be a number, not \`${text}\``);
  }
  t.match(refusal('a', { VP_JOBS: 'many' }).message, 'VP_JOBS must be a number, not `many`');
});

t.test('integers must be within their range', async (t) => {
  for (const text of ['0', '-1', '101', '1.5', '99999999999999999999']) {
    const error = refusal(`a --count=${text}`);
    t.equal(error.code, 'FLAG_INVALID', text);
    t.match(error.message, `--count must be a whole number from 1 to 100, not \`${text}\``);
  }
  t.match(refusal('a', { VP_COUNT: '0' }).message, 'VP_COUNT must be a whole number');
  for (const text of ['1', '100']) t.equal(parse(`a --count ${text}`).flags.count, Number(text));
});

t.test('a value outside the choices is refused with all of them', async (t) => {
  t.match(refusal('a --format xml').message, '--format must be one of text, json, not `xml`');
  t.match(refusal('a --format jsno').message, 'not `jsno`; did you mean `json`?');
  t.equal(refusal('a', { VP_FORMAT: 'xml' }).code, 'FLAG_INVALID');
  t.equal(refusal('a --log-level loud').code, 'FLAG_INVALID');
  t.equal(parse('a --log-level debug').logLevel, 'debug');
});

t.test('a boolean takes no value, and its variable only yes or no', async (t) => {
  t.match(refusal('a --local=yes').message, '--local takes no value');
  t.match(refusal('a --no-local=yes').message, '--no-local takes no value');
  t.match(refusal('a', { VP_COLOUR: 'maybe' }).message, 'VP_COLOUR must be true or false');
});

t.test('for an unknown flag a similar one is suggested', async (t) => {
  const error = refusal('a --instnace shop');
  t.equal(error.code, 'FLAG_UNKNOWN');
  t.equal(error.message, '`vp example` has no flag --instnace');
  t.match(error.cure, 'did you mean `--instance`? see `vp example --help`');
  for (const flag of ['-x', '--no-jobs', '--no-such', '--__proto__', '--constructor', '--no-']) {
    t.equal(refusal(`a ${flag}`).code, 'FLAG_UNKNOWN', flag);
  }
});

t.test('a hidden flag works and is not suggested', async (t) => {
  t.equal(parse('a --secret').flags.secret, true);
  t.notMatch(refusal('a --secrte').cure, 'did you mean');
});

t.test('a flag without its value is refused, also when the next flag follows', async (t) => {
  for (const line of ['a --instance', 'a --instance --local', 'a -i', 'a --instance=', 'a --jobs --local']) {
    t.equal(refusal(line).code, 'FLAG_VALUE_MISSING', line);
  }
  t.equal(refusal('a --instance').cure, 'write --instance <id>');
  t.equal(refusal(['a', '--instance', '']).code, 'FLAG_VALUE_MISSING');
});

t.test('a missing argument is named', async (t) => {
  const error = refusal('--local');
  t.equal(error.code, 'COMMAND_WORD_MISSING');
  t.equal(error.message, '`vp example` needs <first>');
});

t.test('an empty argument is refused, except where it is a value', async (t) => {
  const word = { name: 'word', describe: 'a word', required: false, many: true };
  const many = { ...example, positionals: [word] };
  t.throws(() => parseLine(many, ['a', ' '], {}), {
    code: 'COMMAND_WORD_EMPTY',
    message: '<word> of `vp example` is empty',
  });
  t.same(parseLine({ ...example, positionals: [{ ...word, mayBeEmpty: true }] }, ['a', ''], {}).args, ['a', '']);
});

t.test('an unexpected argument is named', async (t) => {
  const narrow = { ...example, positionals: [] };
  t.throws(() => parseLine(narrow, ['a'], {}), { code: 'COMMAND_WORD_UNEXPECTED', message: /`vp example`.*`a`/ });
});
