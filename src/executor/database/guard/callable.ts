/** What may precede a parenthesis in a query: functions without side effects, types, and keywords. */

function splitWords(text: string): string[] {
  return text.trim().split(/\s+/);
}

/**
 * PostgreSQL functions that depend on their arguments only. Omitted on purpose: functions that run a text as a query
 * (`query_to_xml`, `ts_stat`), reveal facts about the server or other sessions (`current_setting`, `pg_…`, `version`),
 * modify or wait (`set_config`, `nextval`, `lo_…`, `pg_sleep`), read files, or amplify their input (`repeat`).
 */
const functions = splitWords(`
  count sum avg min max every bool_and bool_or bit_and bit_or string_agg array_agg any_value mode
  percentile_cont percentile_disc stddev stddev_pop stddev_samp variance var_pop var_samp corr
  row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value grouping
  coalesce nullif greatest least num_nulls num_nonnulls
  abs ceil ceiling floor round trunc mod div sign sqrt cbrt power exp ln log gcd lcm width_bucket
  lower upper initcap length char_length character_length octet_length bit_length trim btrim ltrim rtrim left right
  substring substr overlay position strpos split_part replace translate reverse concat concat_ws starts_with
  ascii chr md5 sha256 sha512 encode decode to_hex format quote_literal quote_ident quote_nullable normalize
  regexp_match regexp_matches regexp_replace regexp_count regexp_instr regexp_like regexp_substr
  regexp_split_to_array regexp_split_to_table string_to_array string_to_table
  to_char to_date to_timestamp to_number
  now date_trunc date_part date_bin extract age make_date make_time make_timestamp make_timestamptz make_interval
  justify_days justify_hours justify_interval isfinite transaction_timestamp statement_timestamp clock_timestamp timezone
  array_length array_lower array_upper array_ndims array_dims array_position array_positions array_to_string array_append
  array_prepend array_cat array_remove array_replace cardinality unnest generate_series generate_subscripts
  json_agg jsonb_agg json_object_agg jsonb_object_agg to_json to_jsonb row_to_json array_to_json
  json_build_object jsonb_build_object json_build_array jsonb_build_array json_object jsonb_object json_array
  json_array_length jsonb_array_length json_array_elements jsonb_array_elements json_array_elements_text
  jsonb_array_elements_text json_each jsonb_each json_each_text jsonb_each_text json_object_keys jsonb_object_keys
  json_extract_path jsonb_extract_path json_extract_path_text jsonb_extract_path_text json_typeof jsonb_typeof
  json_strip_nulls jsonb_strip_nulls jsonb_set jsonb_insert jsonb_pretty jsonb_path_exists jsonb_path_match
  jsonb_path_query jsonb_path_query_array jsonb_path_query_first json_to_record jsonb_to_record json_to_recordset
  jsonb_to_recordset json_value json_query json_exists json_table json_scalar
  lower_inc upper_inc lower_inf upper_inf isempty range_merge int4range int8range numrange tsrange tstzrange daterange
  to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery ts_rank ts_rank_cd
  host family masklen network broadcast netmask text abbrev
  cast row array treat exists
`);

/** Types with a length or precision, as in `numeric(10, 2)`. */
const types = splitWords(
  'numeric decimal dec varchar character char bpchar varying bit time timestamp timestamptz timetz interval float',
);

/** Keywords that may precede a parenthesis. */
const grammar = splitWords(`
  select distinct on all from lateral only rows join using where and or not in any some between symmetric like ilike escape
  case when then else is by having union intersect except limit offset fetch first next values as materialized
  over filter group rollup cube sets to bernoulli system return columns path passing default
`);

const callableWords: ReadonlySet<string> = new Set([...functions, ...types, ...grammar]);
/** Reserved words of PostgreSQL: a function cannot have such a name without quotes. */
const reservedWords: ReadonlySet<string> = new Set(
  splitWords(`
  all and any array as asc case cast collate column constraint create default desc distinct do else end except fetch for
  from grant group having in initially intersect into lateral leading limit not null offset on only or order placing
  references returning select some symmetric table then to trailing union unique using when where window with
`),
);

/** True when `name(` is allowed in a query. Quoted names are never keywords. */
export function isCallable(name: string, quoted: boolean): boolean {
  return quoted ? functions.includes(name) : callableWords.has(name);
}

/** True for keywords that cannot be function names. */
export function isReservedWord(name: string): boolean {
  return reservedWords.has(name);
}

/** Everything that may precede a parenthesis. */
export const callableNames: readonly string[] = [...callableWords];
/** For suggestions. */
export const callableFunctions: readonly string[] = functions;
