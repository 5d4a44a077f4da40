import t from 'tap';
import { commonFlags } from '../../src/command-line/common-flags.ts';
import { catalogue } from '../../src/commands/catalogue.ts';

t.test('names are unique and have at most two words', async (t) => {
  const names = catalogue.map((entry) => entry.name);
  t.equal(new Set(names).size, names.length);
  t.same(
    names.filter((name) => !/^[a-z-]+( [a-z-]+)?$/.test(name)),
    [],
  );
});

t.test('a command with subcommands takes no positional arguments', async (t) => {
  const above = catalogue.filter(({ name }) => catalogue.some((other) => other.name.startsWith(`${name} `)));
  for (const entry of above) t.same((await entry.load()).positionals, [], entry.name);
});

for (const entry of catalogue) {
  t.test(`vp ${entry.name} matches its catalogue entry`, async (t) => {
    const command = await entry.load();
    t.equal(command.name, entry.name);
    t.equal(command.summary, entry.summary);
    t.ok(command.examples.length > 0, 'has an example');
    for (const [line] of command.examples) t.match(line, 'vp ');
    const { positionals } = command;
    t.notOk(
      positionals.slice(0, -1).some((positional) => positional.many),
      'only the last positional may be many',
    );
    t.notOk(
      positionals.some((positional, index) => positional.required && positionals[index - 1]?.required === false),
      'no required positional after an optional one',
    );
  });

  t.test(`the flags of vp ${entry.name} are well formed`, async (t) => {
    const { flags } = await entry.load();
    const aliases = Object.values({ ...flags, ...commonFlags }).flatMap((flag) =>
      'alias' in flag ? [flag.alias] : [],
    );
    t.equal(new Set(aliases).size, aliases.length, 'aliases are unique');
    for (const [name, flag] of Object.entries(flags)) {
      t.notOk(Object.hasOwn(commonFlags, name), `${name} is not one of the common flags`);
      t.match(name, /^(?!no-)[a-z][a-z0-9-]*$/);
      t.ok(flag.describe.length > 0 && !flag.describe.endsWith('.'), `${name} has a description`);
      if (flag.variable !== undefined) t.match(flag.variable, /^(VP|PLATFORM)_[A-Z_]+$/);
      if (flag.default !== undefined && flag.choices) t.ok(flag.choices.includes(String(flag.default)));
    }
  });
}
