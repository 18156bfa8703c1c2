/** The links of Markdown pages, including those of pictures. */

/** Code, where brackets have other meanings. */
const CODE = /(^```.*?^```$|`[^`\n]*`)/gms;

const LINK = /(\]\(|^\[[^\]]+\]: |\b(?:src|href)=")([^)"\s]+)/gm;

/** Replaces the links of a page. */
export function replaceLinks(text, replace) {
  return text
    .split(CODE)
    .map((part, index) =>
      index % 2 === 1 ? part : part.replaceAll(LINK, (_, before, link) => before + replace(link)),
    )
    .join('');
}

export function linksIn(text) {
  const links = [];
  replaceLinks(text, (link) => {
    links.push(link);
    return link;
  });
  return links;
}

/** Whether it leads to the same place wherever the page is shown. */
export const isAbsolute = (link) => /^([a-z]+:|#)/.test(link);
