// A set of names that changes, from Node.js: the C ABI through names_napi.c. node names.js ADDON
'use strict';
const { resolve } = require('path');
const { create, insert, erase, mayContain } = require(resolve(process.argv[2]));

const filter = create();  // freed with the object
const count = (size, call) => {
  let yes = 0;
  for (let i = 0; i < size; ++i) yes += call(filter, Buffer.from(`name-${i}`)) ? 1 : 0;
  return yes;
};
const inserted = count(10000, insert);
const erased = count(5000, erase);
const present = count(20000, mayContain);
console.log(`inserted ${inserted} erased ${erased} present ${present}`);
