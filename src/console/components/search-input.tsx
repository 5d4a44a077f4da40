import { formatCount } from '../text/format.ts';

type SearchInputProps = {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
  /** Enter: for searches that otherwise wait for a pause. */
  readonly onSubmit?: () => void;
};

/** The key `/` goes to it, see `useKeys`; the placeholder says so. */
export function SearchInput({ label, placeholder, value, onSearch, onSubmit }: SearchInputProps) {
  return (
    <input
      type="search"
      data-search
      aria-label={label}
      placeholder={`${placeholder}  /`}
      value={value}
      onChange={({ target }) => onSearch(target.value)}
      onKeyDown={({ key, nativeEvent }) => key === 'Enter' && !nativeEvent.isComposing && onSubmit?.()}
    />
  );
}

type LineSearchProps = Omit<SearchInputProps, 'placeholder' | 'onSubmit'> & { readonly matchCount: number };

/** Searches the lines of a text, and says how many match. */
export function LineSearch({ matchCount, ...search }: LineSearchProps) {
  return (
    <div className="find">
      <SearchInput {...search} placeholder={search.label} />
      <span className="faint" role="status">
        {search.value === '' ? '' : formatCount(matchCount, 'line')}
      </span>
    </div>
  );
}
