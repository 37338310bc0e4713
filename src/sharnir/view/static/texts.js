// Texts: the words of the page in the browser's language, by the English ones. The page brings its catalogue with it.

let catalogue = {};

export function useTexts(texts) {
  catalogue = texts ?? {};
}

// {name} in a text is replaced by the value of that name.
export function t(text, values = {}) {
  return (catalogue[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
}
