"""The tags, relations and documented subtypes of relations of Universal Dependencies 2."""

from __future__ import annotations

UPOS = tuple(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()
)

# `neg`, `nsubjpass`, `csubjpass`, `auxpass`, `dobj`, `mwe`, `name`, `foreign`, `remnant` of
# version 1 are left out on purpose: trees have the one or the other.
RELATIONS = tuple(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse "
    "dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan "
    "parataxis punct reparandum root vocative xcomp".split()
)

# Subtypes that are written up for some language, or stand in its treebanks, by their relation.
SUBTYPES = {
    relation: tuple(subtypes.split())
    for relation, subtypes in {
        "acl": "adv attr cleft cmpr focus inf part poss relat relcl subj tmod tonp",
        "advcl": "abs appos cau cleft cmp cmpr cond coverb eval lcl lto mcl objective periph pred "
        "relcl sp svc tcl tmod",
        "advmod": "adj arg cau comp deg det df dir emph eval fixed foc freq lfrom lmod lmp loc "
        "locy lto lvc mmod mode neg obl periph poss que tfrom tlocy tmod to tto",
        "amod": "advmod att attlvc det flat mode obl",
        "appos": "nmod trans",
        "aux": "aff aspect caus clitic cnd ex exhort imp nec neg opt part pass pot q tense",
        "case": "acc adv aff circ dec det gen loc pred pref voc",
        "cc": "nc preconj",
        "ccomp": "cleft obj obl pmod pred",
        "clf": "det",
        "compound": "a adj affix amod apr atov coll conjv dir ext lv lvc n nn nv plur preverb pron "
        "prt quant redup smixut svc v verbnoun vmod vo vv z",
        "conj": "appos coord dicto expl extend redup svc",
        "cop": "expl locat own",
        "csubj": "asubj cleft cop outer pass pred vsubj",
        "dep": "aff agr alt ana aux comp conj cop emo infl iobj mark mod obj pos prt redup ss",
        "det": "adj clf noun numgov nummod pmod poss predet rel",
        "discourse": "conn emo filler intj sp",
        "dislocated": "cleft csubj nsubj obj subj vo",
        "expl": "comp impers pass poss pv subj",
        "flat": "abs date dist foreign frac gov name num number range redup repeat sibl time title "
        "vv",
        "iobj": "agent appl patient",
        "mark": "adv advmod aff comp pcomp plur prt q rel",
        "nmod": "abl advmod agent appos arg att attlvc attr bahuv cau clas cmp comp dat desc det "
        "flat gen gmod gobj gsubj ins lfrom lmod npmod obj obl part pmod poss pred prep prp redup "
        "relat subj tmod unmarked",
        "nsubj": "advmod aff bfoc caus cop expl ifoc lfoc lvc nc nn obj outer pass periph quasi x "
        "xsubj",
        "nummod": "det entity flat gov mod",
        "obj": "advmod advneg agent appl cau caus lvc obl periph poss tmod",
        "obl": "about ad adj adv advmod agent appl arg cau cmp cmpr comp dat freq inst iobj lfrom "
        "lmod loc lto lvc mcl mod npmod obj orphan own patient pmod poss prep pronmod sentcon smod "
        "soc subj tmod unmarked with x",
        "orphan": "missing",
        "parataxis": "appos conj coord deletion discourse dislocated hashtag insert mod newsent "
        "nsubj obj parenth rel rep restart rt sentence speech trans url",
        "vocative": "cl mention",
        "xcomp": "adj cleft dir ds obj pred sp subj vcomp",
    }.items()
}
